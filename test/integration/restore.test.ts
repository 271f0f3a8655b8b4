import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { acquireCredit } from '@tollgate/ledger/leases/lease-credit';
import { openSession } from '@tollgate/ledger/store/sessions';
import { brokenInvariants } from '@tollgate/ledger/testing/check-invariants';
import { silent } from '@tollgate/ledger/testing/ledger-fixture';
import { CHECKOUT } from '@tollgate/local';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { type Backup, backUpPostgres } from '@tollgate/test-support/stores/backup-postgres';
import { type OwnPostgres, startPostgres } from '@tollgate/test-support/stores/own-postgres';
import { type OwnRedis, startRedis } from '@tollgate/test-support/stores/own-redis';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

const BALANCE = 10_000_000_000n;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ output_tokens: 3 }) };
const BACK = { timeout: 30_000, interval: 100 };

const folder = makeTemporaryFolder();
let postgres: OwnPostgres;
let redis: OwnRedis;
let pool: Pool;
let gateway: Gateway;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  pool = createPool({ url: postgres.url, size: 2, applicationName: 'tollgate-test' }, silent);
  gateway = await startGateway({ databaseUrl: postgres.url, redis: redis.url });
});
afterAll(async () => {
  await gateway?.stop();
  await pool?.end();
  await Promise.all([postgres?.stop(), redis?.stop()]);
  folder.remove();
});

async function call(key: string): Promise<string> {
  const response = await gateway.chat(key, CALL);
  expect(response.status).toBe(200);
  return String(response.headers['x-request-id']);
}

const statusOf = async (key: string) => (await gateway.chat(key, CALL)).status;

async function sessions(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('SELECT session_id::text AS id FROM ledger.sessions');
  return rows.map((row) => row.id);
}

/**
 * Restores like an operator: stops auth and the ledger, restores the files, raises the epoch. Auth stays stopped for a
 * minute, after which Redis has no key from it; an emptied Redis stands for that minute.
 *
 * @returns the sessions in the backup
 */
async function restore(backup: Backup): Promise<string[]> {
  await Promise.all([gateway.stack.kill('ledger'), gateway.stack.kill('auth')]);
  await postgres.kill();
  await backup.restore();
  await postgres.start();
  await redis.kill();
  await redis.start();
  const known = await sessions();
  const program = join(CHECKOUT, 'services/ledger/src/tasks/raise-epoch.ts');
  await promisify(execFile)(process.execPath, [program], { env: { ...process.env, DATABASE_URL: postgres.url } });
  await gateway.stack.restart('auth');
  await gateway.stack.restart('ledger');
  return known;
}

/** The deleted keys in auth's log. */
function deletionsInLog(): string[] {
  return gateway.stack.logs
    .read('auth')
    .filter((line) => line.includes('"key deleted"'))
    .map((line) => z.object({ key_id: z.string() }).parse(JSON.parse(line)).key_id);
}

it('a restored backup: later sessions are fenced, charges are posted again, no balance is below zero', async () => {
  const account: Account = await gateway.accounts.create(BALANCE);
  const deleted = await gateway.accounts.createKey(account.accountId);
  const before = await Promise.all([call(account.key), call(deleted.key), call(account.key)]);
  for (const id of before) await recordOf(gateway, account, id);

  const during = Array.from({ length: 10 }, () => call(account.key));
  const backup = await backUpPostgres(postgres.url, join(folder.path, 'backup'));
  const since = await Promise.all(during);

  // Changes after the backup: money, an account, a key, a deletion, another session, and its requests.
  await gateway.accounts.deposit(account.accountId, 5_000_000_000n);
  const stranger = await gateway.accounts.create(BALANCE);
  const created = await gateway.accounts.createKey(account.accountId);
  await gateway.accounts.deleteKey(deleted.keyId);
  await gateway.stack.restart('ingress');
  for (let count = 0; count < 10; count++) since.push(await call(created.key));
  since.push(await call(account.key));
  for (const id of since) await recordOf(gateway, account, id);
  const fenced = await sessions();
  expect(fenced.length).toBeGreaterThan(1);

  const known = await restore(backup);
  expect(fenced.some((id) => !known.includes(id))).toBe(true);

  await expect.poll(() => statusOf(account.key), BACK).toBe(200);
  for (const id of fenced) {
    expect(await openSession(pool, id, 'late')).toBeUndefined();
    const need = { cap: undefined, grantedTotalNeeded: 1_000_000_000n, limitNanos: 0n, revision: 0n };
    const request = { accountId: account.accountId, sequence: 99n, needs: [need], prefetch: false };
    expect(await acquireCredit(pool, id, request)).toBe('fenced');
  }

  // Ingresses keep settled charges for a while and settle them again with another database.
  const charges = async () => {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT request_id::text AS id FROM ledger.charges WHERE account_id = $1 AND request_id = ANY ($2::uuid[])',
      [account.accountId, [...before, ...since]],
    );
    return rows.length;
  };
  await expect.poll(charges, BACK).toBe(before.length + since.length);

  const { rows } = await pool.query<{ balance: bigint; charged: bigint }>(
    `SELECT available + leased AS balance,
            (SELECT sum(charged_nanos)::bigint FROM ledger.charges c WHERE c.account_id = b.account_id) AS charged
     FROM ledger.balances b WHERE account_id = $1`,
    [account.accountId],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.balance).toBe(BALANCE - (rows[0]?.charged ?? 0n));
  expect(await brokenInvariants(pool)).toEqual([]);

  // Later keys are unknown. A key deleted after the backup works again once the ingresses have restarted, until it is
  // deleted again.
  expect(await statusOf(created.key)).toBe(401);
  expect(await statusOf(stranger.key)).toBe(401);
  expect(await statusOf(deleted.key)).toBe(401);
  await gateway.stack.restart('ingress');
  expect(await statusOf(deleted.key)).toBe(200);
  for (const keyId of deletionsInLog()) await gateway.accounts.deleteKey(keyId);
  expect(await statusOf(deleted.key)).toBe(401);
});
