import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Gateway, loadValues, merged, reach } from '../support/gateway.ts';
import { Release } from '../support/release.ts';
import { underLoad } from '../support/under-load.ts';

const release = new Release();
let gateway: Gateway;

beforeAll(async () => {
  await release.install(
    merged(loadValues(release), {
      evaluation: { resources: { requests: { cpu: '60m', memory: '128Mi' } } },
      ingress: {
        autoscaling: {
          enabled: true,
          minReplicas: 1,
          maxReplicas: 3,
          targetCPUUtilizationPercentage: 80,
          scaleDownStabilizationSeconds: 15,
        },
      },
    }),
  );
  gateway = await reach(release);
  await count(1);
}, 600_000);
afterAll(() => gateway?.stop());

/** Waits until the ingress has at least or exactly a number of pods. */
async function count(pods: number, isEnough: (found: number) => boolean = (found) => found === pods): Promise<void> {
  const found = async () => (await release.pods('ingress')).filter(({ ready, leaving }) => ready || leaving).length;
  await vi.waitFor(async () => expect(isEnough(await found())).toBe(true), { timeout: 300_000, interval: 1_000 });
}

it('the ingress scales up under load and down after it, without losing a request', { timeout: 900_000 }, async () => {
  const busy = await underLoad({ what: 'scaled up under load', release, gateway, clients: 8, pauseMs: 5 }, async () => {
    await count(2, (found) => found >= 2);
    await delay(10_000);
  });
  expect(busy.failed).toEqual([]);
  expect(busy.findings).toEqual([]);
  const quiet = await underLoad({ what: 'scaled down after it', release, gateway, clients: 1, pauseMs: 2_000 }, () =>
    count(1),
  );
  expect(quiet.failed).toEqual([]);
  expect(quiet.findings).toEqual([]);
});
