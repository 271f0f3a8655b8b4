import { AuthUnderTest, ScriptedWatcher, silent } from '@tollgate/auth/testing/auth-under-test';
import { createGrpcClient } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { startTestMetrics, type TestMetrics } from '@tollgate/common/testing/test-metrics';
import { AuthServiceClient } from '@tollgate/proto/auth';
import { Link } from '@tollgate/test-support/network/link';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RevocationWatch } from './revocation-watch.ts';

const TRUST_MS = 8_000;
const WAIT = { timeout: 30_000, interval: 20 };

let metrics: TestMetrics;
let database: FreshDatabase;
let auth: AuthUnderTest;
let link: Link;

beforeAll(async () => {
  metrics = await startTestMetrics();
  database = await migratedDatabase();
  auth = await AuthUnderTest.start({ DATABASE_URL: database.url, REDIS_URL: redisUrl(), TRUST_MS: String(TRUST_MS) });
  link = await Link.open('ingress>auth', auth.address);
});
afterAll(async () => {
  await link?.close();
  await auth?.stop();
  await database?.drop();
  await metrics?.stop();
});

async function shows(name: string, labels: Record<string, string>, value: number): Promise<void> {
  await vi.waitFor(async () => expect(await metrics.value(name, labels), name).toBe(value), WAIT);
}

it('auth and ingress measure the watchers of changes, their delay, and whether records are trusted', async () => {
  const client = createGrpcClient(AuthServiceClient, link.address);
  const watch = new RevocationWatch({ auth: client, watcherId: newId(), ingressName: 'test', logger: silent });
  watch.start();
  await shows('tollgate_revocations_trusted', {}, 1);
  await shows('tollgate_revocations_trust_changes_total', { trusted: 'true' }, 1);
  await shows('tollgate_auth_watchers', {}, 1);

  const { accountId } = await auth.createAccount();
  const { key } = await auth.createKey(accountId);
  await auth.suspend(accountId, 'unpaid');
  await auth.deleteKey(key.keyId);
  await shows('tollgate_auth_change_confirmation_ms_count', { outcome: 'confirmed' }, 2);

  const unconfirmed = new ScriptedWatcher(auth.client, newId());
  unconfirmed.ping(0n);
  await shows('tollgate_auth_watchers', {}, 2);
  const another = await auth.createKey(accountId);
  await expect(auth.deleteKey(another.key.keyId, { deadlineMs: 3_000 })).rejects.toMatchObject({ code: 4 });
  await shows('tollgate_auth_change_confirmation_ms_count', { outcome: 'unfinished' }, 1);
  unconfirmed.cancel();
  await shows('tollgate_auth_watchers', {}, 1);

  link.set({ kind: 'cut' });
  await shows('tollgate_revocations_trusted', {}, 0);
  await shows('tollgate_revocations_trust_changes_total', { trusted: 'false' }, 1);
  await watch.stop();
  client.close();
});
