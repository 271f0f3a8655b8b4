import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificateOf } from './support/certificates.ts';
import { type Gateway, loadValues, merged, reach } from './support/gateway.ts';
import { Release, SERVICES } from './support/release.ts';
import { underLoad } from './support/under-load.ts';

const release = new Release();
let gateway: Gateway;

beforeAll(async () => {
  await release.install(loadValues(release));
  gateway = await reach(release);
});
afterAll(() => gateway.stop());

it('an upgrade that replaces every pod under load loses no request and charges each correctly', async () => {
  const before = (await release.pods(...SERVICES)).filter(({ leaving }) => !leaving).map(({ name }) => name);
  const certificates = await certificateVersions();
  const rolled = Object.fromEntries(
    SERVICES.map((service) => [service, { podAnnotations: { rolled: `${Date.now()}` } }]),
  );
  const outcome = await underLoad({ what: 'a roll of everything', release, gateway }, async () => {
    await release.install(merged(loadValues(release), rolled));
    // Terminating pods finish their open requests.
    await expect.poll(() => release.pods(...SERVICES).then((pods) => pods.length), { timeout: 120_000 }).toBe(10);
  });
  const after = await release.pods(...SERVICES);
  expect(after.filter(({ name }) => before.includes(name))).toEqual([]);
  expect(outcome.requests).toBeGreaterThan(200);
  expect(outcome.failed).toEqual([]);
  expect(outcome.findings).toEqual([]);
  // Valid certificates are kept.
  expect(await certificateVersions()).toBe(certificates);
});

/** The resource versions of the certificate secrets. */
function certificateVersions(): Promise<string> {
  const names = ['ingress', 'auth', 'ledger', 'router', 'console'].map((component) =>
    certificateOf(release, component),
  );
  const columns = 'custom-columns=NAME:.metadata.name,VERSION:.metadata.resourceVersion';
  return release.kubectl('get', 'secret', ...names, '--output', columns);
}
