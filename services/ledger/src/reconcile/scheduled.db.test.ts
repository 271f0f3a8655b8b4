import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fundedAccount } from '../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../testing/ledger-fixture.ts';
import { reconcile } from './reconcile.ts';
import { scheduledCheck } from './scheduled.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());

it('is made by one replica at a time, and raises an alarm that names the rows until they are right again', async () => {
  const { pool } = ledger;
  const accountId = await fundedAccount(pool, 500n);
  await reconcile(pool, { budgetMs: 5_000, lagMs: 0, full: false });
  await pool.query('UPDATE ledger.balances SET available = available + 1, operator_loss = operator_loss - 1');
  const alarm = vi.spyOn(silent, 'error').mockReturnValue();
  const replicas = [1, 2, 3].map(() => scheduledCheck(pool, { intervalMs: 60_000, budgetMs: 5_000 }, silent));
  await Promise.all(replicas.map((check) => check()));
  expect(alarm).toHaveBeenCalledTimes(1);
  expect(alarm.mock.calls[0]?.[0]).toMatchObject({
    count: 2,
    findings: expect.arrayContaining([
      expect.objectContaining({ invariant: 'balance_equals_entries', accountId, expected: '500', found: '501' }),
    ]),
  });

  const due = scheduledCheck(pool, { intervalMs: 0, budgetMs: 5_000 }, silent);
  await due();
  expect(alarm).toHaveBeenCalledTimes(2);
  await pool.query('UPDATE ledger.balances SET available = available - 1, operator_loss = operator_loss + 1');
  await due();
  expect(alarm).toHaveBeenCalledTimes(2);
  alarm.mockRestore();
});
