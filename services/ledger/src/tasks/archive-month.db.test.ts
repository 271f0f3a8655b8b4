import { idFloor, newId } from '@tollgate/common/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, issueThisMonth, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, MAX_AGE_MS, silent } from '../../testing/ledger-fixture.ts';
import { UNGUARDED } from '../../testing/unguarded.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { removeOldLeases } from '../jobs/retention.ts';
import { closeSession } from '../leases/end-session.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { findCharge } from '../store/charges.ts';
import { ensurePartition, ensurePartitions } from '../store/partitions.ts';
import { searchCharges } from '../store/search-charges.ts';
import { listStatements } from '../store/statements.ts';
import { DAY_MS, monthName, monthStart } from '../store/time.ts';
import { readUsage } from '../store/usage.ts';
import { ARCHIVE_AFTER_MS, archiveOldest } from './archive-month.ts';

const NOW = { budgetMs: 20_000, pass: 'new' } as const;

let ledger: LedgerFixture;
let accountId: string;
let sessionId: string;
let oldCharge: string;
/** The second of two old months; the one before it is the oldest. */
let second: number;

/**
 * A ledger with a history that began months ago: everything posted now is moved to an old month, then more is
 * posted under the same lease.
 */
beforeEach(async () => {
  ledger = await createLedger();
  const { pool } = ledger;
  second = monthStart(Date.now() - ARCHIVE_AFTER_MS, -1);
  const first = monthStart(second, -1);
  accountId = await fundedAccount(pool, 10_000n);
  sessionId = await leasingSession(pool, accountId, 3_000n);
  for (const month of [first, second]) {
    for (const table of ['charges', 'transfers'] as const) await ensurePartition(pool, table, month);
    const charges = [100n, 50n].map((cost) => buildCharge({ accountId, sessionId }, cost));
    charges.push(buildCharge({ accountId, sessionId, holdNanos: 5n }, 8n));
    await settle(pool, ...charges);
    await makeDeposit(pool, { accountId, kind: 'deposit', amountNanos: 77n, idempotencyKey: newId(), reason: 'test' });
    await moveBack(month);
  }
  const { rows } = await pool.query<{ id: string }>(
    'SELECT request_id::text AS id FROM ledger.charges ORDER BY request_id LIMIT 1',
  );
  oldCharge = rows[0]?.id ?? '';
  await settle(pool, buildCharge({ accountId, sessionId }, 25n));
  expect(await brokenInvariants(pool)).toEqual([]);
});
afterEach(() => ledger.drop());

/** Moves all that was posted today to the fifth day of a month, ids and roll-ups with it. */
async function moveBack(month: number): Promise<void> {
  const { pool } = ledger;
  const at = month + 5 * DAY_MS;
  const today = idFloor(Date.now() - DAY_MS);
  const id = (column: string) => `(substr('${idFloor(at)}', 1, 13) || substr(${column}::text, 14))::uuid`;
  await pool.query(`${UNGUARDED}
    UPDATE ledger.charges SET request_id = ${id('request_id')}, started_at_ms = ${at}, settled_at_ms = ${at}
    WHERE request_id >= '${today}';
    UPDATE ledger.transfers SET transfer_id = ${id('transfer_id')}, created_at_ms = ${at} WHERE transfer_id >= '${today}'`);
  await pool.query('UPDATE ledger.deposits SET created_at_ms = $1 WHERE created_at_ms > $2', [at, Date.now() - DAY_MS]);
  for (const table of ['usage_hourly', 'usage_daily']) {
    await pool.query(`UPDATE ledger.${table} SET start_ms = $1 WHERE start_ms > $2`, [
      at - (at % DAY_MS),
      Date.now() - 2 * DAY_MS,
    ]);
  }
}

async function expectProven(): Promise<void> {
  expect(await reconcile(ledger.pool, NOW)).toMatchObject({ complete: true, findings: [] });
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
}

/** Lets all leases of the history be removed, as they are by the time a month may be archived. */
async function forgetLeases(): Promise<void> {
  await closeSession(ledger.pool, sessionId);
  await expectProven();
  expect(await removeOldLeases(ledger.pool, Date.now())).toBe(1);
}

const tables = async (schema: string) => {
  const { rows } = await ledger.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename ~ '_[0-9]{4}_[0-9]{2}$' ORDER BY 1`,
    [schema],
  );
  return rows.map((row) => row.name);
};

describe('the archive', () => {
  it('takes one month after the other, and every sum stays what it was', async () => {
    const { pool } = ledger;
    await forgetLeases();
    const usage = { accountId, range: { startMs: 0, endMs: Date.now() + DAY_MS }, byModel: false, byKey: false };
    const months = await readUsage(pool, { ...usage, interval: 'month', totals: false, limit: 100 });
    expect(months).toHaveLength(3);
    for (const count of [1, 2]) {
      expect(await archiveOldest(pool, Date.now(), Date.now())).toBe(monthStart(second, count - 2));
      expect(await tables('ledger_archive')).toHaveLength(count);
      await expectProven();
    }
    // Of archived requests nothing is left but the sums.
    expect(await findCharge(pool, accountId, { by: 'request_id', id: oldCharge })).toBeUndefined();
    const range = { startMs: monthStart(second, -1), endMs: monthStart(second, 1) };
    const search = { accountId, range, filter: {}, before: undefined, limit: 10, indexed: true };
    expect(await searchCharges(pool, search)).toEqual({ charges: [], next: undefined });
    expect(await readUsage(pool, { ...usage, interval: 'month', totals: false, limit: 100 })).toEqual(months);
    // Statements of archived months are as if they were not.
    await issueThisMonth(pool, accountId);
    const statements = await listStatements(pool, accountId, Date.now(), 100);
    const sums = new Map(months.map((month) => [monthName(Number(month.start_ms)), -month.charged_nanos]));
    expect(statements.map(({ month }) => month)).toEqual(expect.arrayContaining([...sums.keys()]));
    for (const { month, chargesNanos } of statements) expect(chargesNanos).toBe(sums.get(month) ?? 0n);
    // Work goes on, and nothing makes the months again.
    const next = await leasingSession(pool, accountId, 1_000n);
    await settle(pool, buildCharge({ accountId, sessionId: next }, 11n));
    await ensurePartitions(pool, Date.now(), MAX_AGE_MS, silent);
    await expectProven();
    await pool.query('DROP SCHEMA ledger_archive CASCADE');
    await expectProven();
  });

  it('archives no month whose charges may still arrive, that is not reconciled, or that was not asked for', async () => {
    const { pool } = ledger;
    await expect(archiveOldest(pool, Date.now(), Date.now())).rejects.toThrow('not fully reconciled');
    await expectProven();
    expect(await archiveOldest(pool, monthStart(second, -1), Date.now())).toBeUndefined();
    const soon = monthStart(second) + ARCHIVE_AFTER_MS - 1;
    await expect(archiveOldest(pool, Date.now(), soon)).rejects.toThrow('may still arrive');
    await expect(archiveOldest(pool, Date.now(), Date.now())).rejects.toThrow(
      'a session of test-ingress has charges of',
    );
    expect(await tables('ledger_archive')).toEqual([]);
  });

  it('leaves everything as it was when it fails midway', async () => {
    const { pool } = ledger;
    await forgetLeases();
    // The table cannot be moved: one of its name is there already.
    const name = `charges_${new Date(monthStart(second, -1)).toISOString().slice(0, 7).replace('-', '_')}`;
    await pool.query(`CREATE TABLE ledger_archive.${name} (nothing int)`);
    await expect(archiveOldest(pool, Date.now(), Date.now())).rejects.toThrow('already exists');
    await pool.query(`DROP TABLE ledger_archive.${name}`);
    expect((await findCharge(pool, accountId, { by: 'request_id', id: oldCharge }))?.requestId).toBe(oldCharge);
    await expectProven();
    expect(await archiveOldest(pool, Date.now(), Date.now())).toBe(monthStart(second, -1));
  });

  it('gives way when the tables are in use for long', async () => {
    const { pool } = ledger;
    await forgetLeases();
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM ledger.charges LIMIT 1');
      await expect(archiveOldest(pool, Date.now(), Date.now())).rejects.toMatchObject({ code: '55P03' });
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect(await archiveOldest(pool, Date.now(), Date.now())).toBe(monthStart(second, -1));
  });
});

describe('leases of sessions that closed long ago', () => {
  it('are removed, and their charges still prove right', async () => {
    const { pool } = ledger;
    const leases = async () => Number((await pool.query('SELECT 1 FROM ledger.leases')).rowCount);
    await closeSession(pool, sessionId);
    await expectProven();
    expect(await removeOldLeases(pool, Date.now() - DAY_MS)).toBe(0);
    expect(await removeOldLeases(pool, Date.now())).toBe(1);
    expect(await leases()).toBe(0);
    await expectProven();
  });

  it('stay if reconciliation has findings about them', async () => {
    const { pool } = ledger;
    await closeSession(pool, sessionId);
    await pool.query('UPDATE ledger.leases SET spent = spent - 1, returned = returned + 1');
    expect((await reconcile(pool, NOW)).findingsTotal).toBe(1);
    expect(await removeOldLeases(pool, Date.now())).toBe(0);
  });
});
