import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { Confirmation } from '@tollgate/proto/auth';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { ScriptedWatcher } from '../../testing/auth-under-test.ts';

const TRUST_MS = 1_000;
const WAIT = { timeout: 30_000, interval: 5 };
const LONG = { deadlineMs: 20_000 };

let fixture: AuthFixture;
let accountId: string;
const watchers: ScriptedWatcher[] = [];

beforeAll(async () => {
  fixture = await startAuth({ TRUST_MS: String(TRUST_MS) });
  accountId = (await fixture.auth.createAccount()).accountId;
});
afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.cancel();
  await fixture.pool.query('DELETE FROM auth.watchers');
});
afterAll(() => fixture?.stop());

/** A connected ingress that confirms only when the test makes it. */
async function watch(ingressName: string): Promise<ScriptedWatcher> {
  const watcher = new ScriptedWatcher(fixture.auth.client, newId(), { ingressName });
  watchers.push(watcher);
  const ping = watcher.ping(0n);
  await vi.waitFor(() => expect(watcher.isConfirmed(ping)).toBe(true), WAIT);
  return watcher;
}

function beginDelete(keyId: string) {
  const { client } = fixture.auth;
  return unaryCall(client.deleteKey.bind(client), { keyId, accountId }, LONG);
}

async function propagation(keyId: string): Promise<Confirmation[]> {
  const { client } = fixture.auth;
  const request = { accountId, keyId };
  return (await unaryCall(client.getKeyPropagation.bind(client), request, LONG)).confirmations;
}

const byName = (confirmations: readonly Confirmation[]) =>
  Object.fromEntries(confirmations.map((one) => [one.ingressName, one.confirmed]));

describe('the confirmations of a deletion', () => {
  it('show every ingress with the time it took, while they come and afterwards', async () => {
    const [near, far] = [await watch('near'), await watch('far')];
    const { key } = await fixture.auth.createKey(accountId);
    const seen = near.lastSequence;
    const deleting = beginDelete(key.keyId);
    await vi.waitFor(() => expect(near.lastSequence).toBeGreaterThan(seen), WAIT);
    expect(byName(await propagation(key.keyId))).toEqual({ near: false, far: false });
    near.ping(near.lastSequence);
    await vi.waitFor(
      async () => expect(byName(await propagation(key.keyId))).toEqual({ near: true, far: false }),
      WAIT,
    );
    await vi.waitFor(() => expect(far.lastSequence).toBe(near.lastSequence), WAIT);
    far.ping(far.lastSequence);
    const { confirmations } = await deleting;
    expect(byName(confirmations)).toEqual({ near: true, far: true });
    for (const { confirmedAfterMs } of confirmations) expect(confirmedAfterMs).toBeGreaterThan(0n);
    expect(await propagation(key.keyId)).toEqual(confirmations);
    // Later changes and later ingresses do not alter what was confirmed, and when.
    near.ping(near.lastSequence + 1_000_000n);
    await watch('late');
    expect(await propagation(key.keyId)).toEqual(confirmations);
  });

  it('show an ingress that is cut off as not confirmed', async () => {
    const silent = await watch('silent');
    const { key } = await fixture.auth.createKey(accountId);
    const { confirmations } = await beginDelete(key.keyId);
    expect(confirmations).toEqual([{ watcherId: silent.watcherId, ingressName: 'silent', confirmed: false }]);
  });

  it('are none without ingresses, and for a key that has not changed', async () => {
    const { key } = await fixture.auth.createKey(accountId);
    expect(await propagation(key.keyId)).toEqual([]);
    expect((await beginDelete(key.keyId)).confirmations).toEqual([]);
    await expect(propagation(newId())).rejects.toMatchObject({ code: 5 });
  });
});

describe('the list of ingresses', () => {
  it('shows how long each has been silent and what it has not confirmed', async () => {
    const list = async () => {
      const { client } = fixture.auth;
      return (await unaryCall(client.listWatchers.bind(client), {}, LONG)).watchers;
    };
    const watcher = await watch('lagging\u0000');
    watcher.ping(watcher.lastSequence);
    await vi.waitFor(async () => expect((await list())[0]?.unconfirmed).toBe(0n), WAIT);
    const { key } = await fixture.auth.createKey(accountId);
    await fixture.auth.updateKey(key.keyId, { name: 'x' });
    const [lagging, ...others] = await list();
    expect(others).toEqual([]);
    expect(lagging).toMatchObject({ watcherId: watcher.watcherId, ingressName: 'lagging', unconfirmed: 1n });
    // The change waited until the ingress was no longer trusted.
    expect(lagging?.silentMs).toBeGreaterThan(BigInt(TRUST_MS));
  });
});
