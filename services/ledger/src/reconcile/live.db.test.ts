import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { acquire, fundedAccount, openedSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../../testing/ledger-fixture.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { closeSession } from '../leases/end-session.ts';
import { reconcile } from './reconcile.ts';

const STATEMENT_MS = 4_000;
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
  let runs = 0;
  const check = async () => {
    while (Date.now() < until) {
      const size = { charges: 1 + (runs % 3) * 50, hours: 10, accounts: 2 };
      const report = await reconcile(checkPool, { budgetMs: 5_000, pass: 'running', size });
      expect(report).toMatchObject({ complete: true, findings: [] });
      runs++;
    }
  };
  const load = Array.from({ length: 4 }, () => liveOn(loadPool, until, () => lives++));
  await Promise.all([...load, check(), check()]);
  expect(lives).toBeGreaterThan(4);
  expect(runs).toBeGreaterThan(4);
  const { rows } = await ledger.pool.query<{ count: bigint }>('SELECT count(*) FROM ledger.charges');
  const report = await reconcile(checkPool, { budgetMs: 10_000, pass: 'new' });
  expect(report).toMatchObject({ complete: true, charges: Number(rows[0]?.count), findings: [] });
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
  await Promise.all([loadPool.end(), checkPool.end()]);
});
