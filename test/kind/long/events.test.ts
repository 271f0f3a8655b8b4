import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, loadValues, reach } from '../support/gateway.ts';
import { killProcess, restarted } from '../support/kill.ts';
import { Release, SERVICES } from '../support/release.ts';
import { underLoad } from '../support/under-load.ts';

const release = new Release();
let gateway: Gateway;

beforeAll(async () => {
  await release.install(loadValues(release));
  gateway = await reach(release);
});
afterAll(() => gateway.stop());

/** Waits until a service has exactly a number of pods. */
async function pods(component: string, count: number): Promise<void> {
  const settled = async () => {
    const found = await release.pods(component);
    return found.length === count && found.every(({ ready, leaving }) => ready && !leaving);
  };
  await expect.poll(settled, { timeout: 240_000, interval: 500 }).toBe(true);
}

describe.each(SERVICES)('planned events of %s', (service) => {
  const workload = `deployment/tollgate-${service}`;

  it('lose no request: more pods, and fewer', async () => {
    const outcome = await underLoad({ what: `${service} scaled to 3, 1 and 2`, release, gateway }, async () => {
      await release.kubectl('scale', workload, '--replicas=3');
      await pods(service, 3);
      await release.kubectl('scale', workload, '--replicas=1');
      await pods(service, 1);
      await release.kubectl('scale', workload, '--replicas=2');
      await pods(service, 2);
    });
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
  });

  it('lose no request: a roll', async () => {
    const outcome = await underLoad({ what: `${service} rolled`, release, gateway }, async () => {
      await release.kubectl('rollout', 'restart', workload);
      await release.rolledOut(service);
      await pods(service, 2);
    });
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
  });
});

describe('unplanned events', () => {
  it.each(SERVICES)('charge nothing wrong: each process of %s killed in turn', async (service) => {
    const outcome = await underLoad({ what: `${service} killed`, release, gateway, mayBreak: true }, async () => {
      for (const { name, restarts } of await release.pods(service)) {
        await killProcess(release, name);
        await restarted(release, name, restarts);
      }
    });
    expect(outcome.requests).toBeGreaterThan(50);
    expect(outcome.findings).toEqual([]);
  });

  it.each(['postgres', 'redis'])('charge nothing wrong: %s restarted, then killed', async (store) => {
    const outcome = await underLoad(
      { what: `${store} restarted and killed`, release, gateway, mayBreak: true },
      async () => {
        await release.kubectl('delete', 'pod', `tollgate-${store}-0`);
        await pods(store, 1);
        for (const { name, restarts } of await release.pods(store)) {
          await killProcess(release, name);
          await restarted(release, name, restarts);
        }
      },
    );
    expect(outcome.requests).toBeGreaterThan(50);
    expect(outcome.findings).toEqual([]);
  });

  it('recover: everything is served again', async () => {
    const outcome = await underLoad({ what: 'afterwards', release, gateway }, async () => undefined);
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
  });
});
