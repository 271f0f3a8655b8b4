import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, loadValues, merged, reach } from '../support/gateway.ts';
import { Release } from '../support/release.ts';
import { underLoad } from '../support/under-load.ts';

const release = new Release({ namespace: 'tollgate-persistent', nodePort: 30_082 });
/** Journals on volumes, which makes the ingress a StatefulSet. */
const values = merged(loadValues(release), {
  ingress: {
    terminationGracePeriodSeconds: 40,
    journal: { persistence: { enabled: true, size: '64Mi' }, maxBytes: 33_554_432 },
  },
});
let gateway: Gateway;

beforeAll(async () => {
  await release.install(values);
  gateway = await reach(release);
});
afterAll(async () => {
  await gateway?.stop();
  await release.remove();
});

it('a roll of an ingress with volumes loses no request', async () => {
  const outcome = await underLoad({ what: 'an ingress with volumes rolled', release, gateway }, async () => {
    await release.kubectl('rollout', 'restart', 'statefulset/tollgate-ingress');
    await release.rolledOut('ingress', 'statefulset');
  });
  expect(outcome.failed).toEqual([]);
  expect(outcome.findings).toEqual([]);
});

it('pods deleted without grace lose no charge, because their journals are on volumes', async () => {
  const outcome = await underLoad(
    { what: 'pods with volumes deleted without grace', release, gateway, mayBreak: true },
    async () => {
      for (const pod of ['tollgate-ingress-0', 'tollgate-ingress-1']) {
        await release.kubectl('delete', 'pod', pod, '--grace-period=0', '--force');
        await release.rolledOut('ingress', 'statefulset');
      }
    },
  );
  expect(outcome.findings).toEqual([]);
});
