import { startTestMetrics, type TestMetrics } from '@tollgate/common/testing/test-metrics';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { fundedAccount } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture, silent } from '../../testing/ledger-fixture.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { claimCheck } from '../store/reconciliation.ts';
import { createScheduledReconciliation } from './scheduled-reconciliation.ts';

let ledger: LedgerFixture;
let metrics: TestMetrics;
beforeAll(async () => {
  metrics = await startTestMetrics();
});
beforeEach(async () => {
  ledger = await createLedger();
});
afterEach(() => ledger?.drop());
afterAll(() => metrics?.stop());

it('is measured by every replica, whichever made it, and goes on ageing when none is made', async () => {
  const { pool } = ledger;
  const accountId = await fundedAccount(pool, 500n);
  const check = createScheduledReconciliation(pool, { intervalMs: 60_000, budgetMs: 5_000 }, silent);
  expect(await metrics.value('tollgate_ledger_reconciliation_behind_ms')).toBeUndefined();
  expect(await claimCheck(pool, 0)).toBe(true);
  const change =
    'UPDATE ledger.balances SET available = available + $2, operator_loss = operator_loss - $2 WHERE account_id = $1';
  await pool.query(change, [accountId, 1]);
  const { beganMs } = await reconcile(pool, { budgetMs: 5_000, pass: 'new' });
  await check();
  expect(await metrics.value('tollgate_ledger_reconciliation_findings')).toBe(2);
  const behind = (await metrics.value('tollgate_ledger_reconciliation_behind_ms')) ?? 0;
  expect(behind).toBeGreaterThan(0);
  expect(behind).toBeLessThanOrEqual(Date.now() - beganMs);
  await expect.poll(() => metrics.value('tollgate_ledger_reconciliation_behind_ms')).toBeGreaterThan(behind);
  await pool.query(change, [accountId, -1]);
  await reconcile(pool, { budgetMs: 5_000, pass: 'new' });
  await check();
  expect(await metrics.value('tollgate_ledger_reconciliation_findings')).toBe(0);
});

it('is made by one replica at a time, and raises an alarm that names the rows until they are right again', async () => {
  const { pool } = ledger;
  const accountId = await fundedAccount(pool, 500n);
  await reconcile(pool, { budgetMs: 5_000, pass: 'new' });
  await pool.query('UPDATE ledger.balances SET available = available + 1, operator_loss = operator_loss - 1');
  const alarm = vi.spyOn(silent, 'error').mockReturnValue();
  const replicas = [1, 2, 3].map(() =>
    createScheduledReconciliation(pool, { intervalMs: 60_000, budgetMs: 5_000 }, silent),
  );
  await Promise.all(replicas.map((check) => check()));
  expect(alarm).toHaveBeenCalledTimes(1);
  expect(alarm.mock.calls[0]?.[0]).toMatchObject({
    count: 2,
    findings: expect.arrayContaining([
      expect.objectContaining({ invariant: 'balance_equals_entries', accountId, expected: '500', found: '501' }),
    ]),
  });

  const due = createScheduledReconciliation(pool, { intervalMs: 0, budgetMs: 5_000 }, silent);
  await due();
  expect(alarm).toHaveBeenCalledTimes(2);
  await pool.query('UPDATE ledger.balances SET available = available - 1, operator_loss = operator_loss + 1');
  await due();
  expect(alarm).toHaveBeenCalledTimes(2);
  alarm.mockRestore();
});
