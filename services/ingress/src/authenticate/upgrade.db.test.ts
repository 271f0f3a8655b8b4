import { AuthUnderTest, silent } from '@tollgate/auth/testing/auth-under-test';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { Link } from '@tollgate/test-support/network/link';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EarlierAuth, startEarlierAuth } from '../../testing/earlier-auth.ts';
import { type Ingress, openIngress } from '../../testing/open-ingress.ts';
import { RevocationWatch } from './revocation-watch.ts';

/** So long that nothing here can have waited for it to end. */
const TRUST_MS = 60_000;
const WAIT = { timeout: 30_000, interval: 5 };
const limits = { requestsPerMinute: 7n };

let database: FreshDatabase;
let pool: Pool;
let auth: AuthUnderTest;
let earlier: EarlierAuth;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  pool = createPool({ url: database.url, size: 2, applicationName: 'test' }, silent);
  auth = await AuthUnderTest.start({
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl(),
    TRUST_MS: String(TRUST_MS),
  });
  earlier = await startEarlierAuth(auth.address);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await pool.query('DELETE FROM auth.watchers');
});
afterAll(async () => {
  await earlier?.stop();
  await auth?.stop();
  await pool?.end();
  await database?.drop();
});

function watchAt(address: string) {
  const client = createGrpcClient(AuthServiceClient, address);
  const opened = vi.spyOn(client, 'watchRevocations');
  const watch = new RevocationWatch({ auth: client, watcherId: newId(), logger: silent });
  watch.start();
  closing.push(async () => {
    await watch.stop();
    client.close();
  });
  const trusted = () => watch.trusted();
  return { watch, trusted, streams: () => opened.mock.calls.length };
}

async function open(watchAddress: string, resolveAddress: string): Promise<Ingress> {
  const ingress = await openIngress({ redisUrl: redisUrl(), watchAddress, resolveAddress });
  closing.push(ingress.close);
  return ingress;
}

/** The watchers that deletions wait for. */
async function versions(): Promise<number[]> {
  const { rows } = await pool.query<{ version: number }>('SELECT version FROM auth.watchers ORDER BY version');
  return rows.map(({ version }) => version);
}

const makeKey = async () => auth.createKey((await auth.createAccount()).accountId);

describe('an ingress that reaches only an auth of the previous version', () => {
  it('does not become ready, trusts nothing, and delays no deletion', async () => {
    const { watch, trusted, streams } = watchAt(earlier.address);
    for (const several of [2, 4]) {
      await vi.waitFor(() => expect(streams()).toBeGreaterThanOrEqual(several), WAIT);
      expect([watch.ready, trusted()]).toEqual([false, false]);
      const { key } = await makeKey();
      await auth.deleteKey(key.keyId, { deadlineMs: 5_000 });
    }
    expect(watch.revoked.position).toBe(0);
  });

  it('after it had reached a current one, trusts nothing any more, and delays no deletion', async () => {
    const link = await Link.open('ingress>auth', auth.address);
    closing.push(() => link.close());
    const { watch, trusted, streams } = watchAt(link.address);
    await vi.waitFor(() => expect(trusted()).toBe(true), WAIT);
    const before = streams();
    link.moveTo(earlier.address);
    await vi.waitFor(() => expect(streams()).toBeGreaterThanOrEqual(before + 2), WAIT);
    expect(trusted()).toBe(false);
    // If the goodbye is lost with its connection, deletions wait for the ingress like for any that is cut off.
    await vi.waitFor(async () => expect(await versions()).toEqual([]), WAIT);
    link.moveTo(auth.address);
    await vi.waitFor(() => expect(trusted()).toBe(true), WAIT);
    const { key } = await makeKey();
    const position = watch.revoked.position;
    await auth.deleteKey(key.keyId, { deadlineMs: 5_000 });
    expect([watch.revoked.position, trusted()]).toEqual([position + 1, true]);
  });

  it('delays deletions elsewhere although its goodbye arrives only when it is trusted there', async () => {
    const heard = Promise.withResolvers<void>();
    const slow = await startEarlierAuth(auth.address, heard.promise);
    closing.push(slow.stop);
    const link = await Link.open('ingress>auth', slow.address);
    closing.push(() => link.close());
    const { trusted } = watchAt(link.address);
    await vi.waitFor(() => expect(slow.goodbyes()).toBe(1), WAIT);
    link.moveTo(auth.address);
    await vi.waitFor(() => expect(trusted()).toBe(true), WAIT);
    expect(await versions()).toEqual([0, 1]);
    heard.resolve();
    await vi.waitFor(async () => expect(await versions()).toEqual([1]), WAIT);
  });

  it('does not use its answer about a key, which may lack limits', async () => {
    const { authenticator, authCalls } = await open(auth.address, earlier.address);
    const { key, secret } = await makeKey();
    await auth.updateKey(key.keyId, { limits });
    expect(await authenticator.authenticate(secret)).toEqual({ kind: 'unavailable' });
    expect(authCalls.count).toBe(8);
  });
});

describe('an ingress that reaches auths of both versions', () => {
  it('finds one of its own version to watch, and for each lookup of a key', async () => {
    const both = `ipv4:${earlier.address},${auth.address}`;
    const { watch, authenticator } = await open(both, both);
    await vi.waitFor(() => expect(watch.trusted()).toBe(true), WAIT);
    const { accountId } = await auth.createAccount();
    const keys = await Promise.all(Array.from({ length: 8 }, () => auth.createKey(accountId)));
    await auth.updateAccount(accountId, { limits });
    for (const { secret } of keys) {
      const found = await authenticator.authenticate(secret);
      expect(found).toMatchObject({ kind: 'active', key: { accountLimits: { requestsPerMinute: 7 } } });
    }
    for (const { key, secret } of keys) {
      await auth.deleteKey(key.keyId, { deadlineMs: 5_000 });
      expect(await authenticator.authenticate(secret)).toEqual({ kind: 'refused', reason: 'deleted' });
    }
  });
});
