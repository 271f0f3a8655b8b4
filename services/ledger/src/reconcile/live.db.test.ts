import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, fundedAccount, leasingSession, openedSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../../testing/ledger-fixture.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { closeSession } from '../leases/end-session.ts';
import { reconcile } from './reconcile.ts';

/** Longer than a statement of the load may run, as it has to be. */
const STATEMENT_MS = 4_000;
const LAG_MS = 5_000;
const LOAD_MS = 12_000;

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());

function poolOf(size: number, name: string): Pool {
  return createPool({ url: ledger.url, size, applicationName: name, statementTimeoutMs: STATEMENT_MS }, silent);
}

/** Deposits, leases, charges and closed sessions of one account, again and again. */
async function liveOn(pool: Pool, until: number, count: () => void): Promise<void> {
  const accountId = await fundedAccount(pool, 1_000_000n);
  while (Date.now() < until) {
    const sessionId = await openedSession(pool);
    await acquire(pool, sessionId, accountId, 1_000n);
    const charges = Array.from({ length: 20 }, (_, index) => buildCharge({ accountId, sessionId }, BigInt(index * 7)));
    await Promise.all([settle(pool, ...charges.slice(0, 10)), settle(pool, ...charges.slice(5))]);
    await makeDeposit(pool, {
      accountId,
      kind: 'deposit',
      amountNanos: 50n,
      idempotencyKey: sessionId,
      reason: 'test',
    });
    await closeSession(pool, sessionId);
    count();
  }
}

it('raises no false alarm while deposits, leases and charges go on, and gets through them', async () => {
  const loadPool = poolOf(6, 'tollgate-load');
  const checkPool = poolOf(2, 'tollgate-check');
  const until = Date.now() + LOAD_MS;
  let lives = 0;
  let charges = 0;
  let runs = 0;
  const check = async () => {
    while (Date.now() < until) {
      const options = { budgetMs: 5_000, lagMs: LAG_MS, openHours: true };
      const report = await reconcile(checkPool, { ...options, full: runs % 3 === 2 });
      expect(report).toMatchObject({ complete: true, findings: [] });
      charges += report.charges;
      runs++;
    }
  };
  const load = Array.from({ length: 4 }, () => liveOn(loadPool, until, () => lives++));
  await Promise.all([...load, check(), check()]);
  expect(lives).toBeGreaterThan(4);
  expect(runs).toBeGreaterThan(4);
  // Everything posted is checked once, by any of the runs.
  const rest = await reconcile(checkPool, { budgetMs: 10_000, lagMs: 0, openHours: true, full: false });
  expect(rest).toMatchObject({ complete: true, findings: [] });
  const { rows } = await ledger.pool.query<{ count: bigint }>('SELECT count(*) FROM ledger.charges');
  expect(BigInt(charges + rest.charges)).toBe(rows[0]?.count);
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
  await Promise.all([loadPool.end(), checkPool.end()]);
});

it('waits for a settlement that is not committed, however long ago it started', async () => {
  const { pool } = ledger;
  const accountId = await fundedAccount(pool, 10_000n);
  const sessionId = await leasingSession(pool, accountId, 1_000n);
  await reconcile(pool, { budgetMs: 5_000, lagMs: 0, full: false });
  const slow = await pool.connect();
  try {
    // A transaction that has posted and not committed.
    await slow.query('BEGIN');
    await slow.query(
      'UPDATE ledger.balances SET available = available - 1, leased = leased + 1 WHERE account_id = $1',
      [accountId],
    );
    const { rows } = await slow.query<{ began_ms: bigint }>(
      'SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS began_ms',
    );
    const other = await fundedAccount(pool, 500n);
    const report = await reconcile(pool, { budgetMs: 5_000, lagMs: 0, full: false });
    expect(report).toMatchObject({ complete: true, findings: [] });
    expect(report.untilMs).toBeLessThan(Number(rows[0]?.began_ms));
    expect(other).not.toBe(accountId);
  } finally {
    await slow.query('ROLLBACK');
    slow.release();
  }
  expect(sessionId).not.toBe('');
});

const explained = z.object({
  Plan: z.object({ 'Shared Hit Blocks': z.number(), 'Shared Read Blocks': z.number() }),
});

/** A pool that counts the pages its statements read, from their plans. */
function countingPool(url: string): { pool: Pool; pages: () => number } {
  const pool = createPool({ url, size: 1, applicationName: 'tollgate-check' }, silent);
  let pages = 0;
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const { Plan: plan } = explained.parse(JSON.parse(message.slice(message.indexOf('{'))));
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    });
  });
  return { pool, pages: () => pages };
}

it('costs no more when the history is long', async ({ onTestFinished }) => {
  // Concurrent settlements leave pages with free space, which later charges would fill: their place in the table, and
  // so the ranges of the index by time that are read, would depend on what the other tests of this file did.
  const own = await createLedger();
  onTestFinished(() => own.drop());
  const accountId = await fundedAccount(own.pool, 1_000_000_000n);
  const sessionId = await leasingSession(own.pool, accountId, 100_000_000n);
  const { pool, pages } = countingPool(own.url);
  await pool.query(`LOAD 'auto_explain'`);
  await pool.query(
    `SELECT set_config('auto_explain.log_min_duration', '0', false), set_config('auto_explain.log_format', 'json', false),
            set_config('auto_explain.log_level', 'notice', false), set_config('auto_explain.log_analyze', 'on', false),
            set_config('auto_explain.log_timing', 'off', false), set_config('auto_explain.log_buffers', 'on', false)`,
  );
  /** The pages that are read to reconcile ten more charges. */
  const cost = async () => {
    await reconcile(pool, { budgetMs: 20_000, lagMs: 0, full: false });
    await settle(own.pool, ...Array.from({ length: 10 }, () => buildCharge({ accountId, sessionId })));
    const before = pages();
    expect(await reconcile(pool, { budgetMs: 20_000, lagMs: 0, full: false })).toMatchObject({ complete: true });
    return pages() - before;
  };
  const first = await cost();
  for (let batch = 0; batch < 60; batch++) {
    await settle(own.pool, ...Array.from({ length: 1_000 }, () => buildCharge({ accountId, sessionId })));
  }
  // The plan and the summaries of the index by time would otherwise depend on when autovacuum ran last.
  await own.pool.query('VACUUM (ANALYZE) ledger.charges, ledger.transfers');
  const { rows } = await own.pool.query<{ pages: bigint }>(
    `SELECT (sum(pg_relation_size(oid)) / 8192)::bigint AS pages FROM pg_class
     WHERE relname ~ '^charges_[0-9]{4}_[0-9]{2}$'`,
  );
  const later = await cost();
  expect(Number(rows[0]?.pages)).toBeGreaterThan(2_000);
  // Two statements read whole ranges of 128 pages, to which the index by time leads: the last, and the one before it.
  expect(later - first).toBeLessThan(4 * 128);
  await pool.end();
});
