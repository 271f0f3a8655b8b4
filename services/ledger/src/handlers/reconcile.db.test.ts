import { unaryCall } from '@tollgate/common/grpc/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fundedAccount } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());

const call = (budgetMs = 0) =>
  unaryCall(ledger.client.reconcile.bind(ledger.client), { budgetMs, passBeganMs: 0n }, { deadlineMs: 20_000 });

it('returns the wrong rows, and none once they are correct', async () => {
  const accountId = await fundedAccount(ledger.pool, 500n);
  expect(await call()).toMatchObject({ complete: true, findings: [], findingsTotal: 0n });
  await ledger.pool.query('UPDATE ledger.deposits SET amount_nanos = 501');
  const response = await call();
  expect(response).toMatchObject({ complete: true, accounts: 1n, findingsTotal: 2n });
  expect(response.findings.map((finding) => ({ ...finding, placeJson: JSON.parse(finding.placeJson).table }))).toEqual([
    {
      invariant: 'deposit_equals_transfers',
      accountId,
      placeJson: 'balances',
      expectedJson: '-501',
      foundJson: '-500',
    },
    { invariant: 'deposit_equals_transfers', accountId, placeJson: 'deposits', expectedJson: '500', foundJson: '501' },
  ]);
  await ledger.pool.query('UPDATE ledger.deposits SET amount_nanos = 500');
  expect(await call()).toMatchObject({ complete: true, findings: [] });
});

it('rejects a budget out of bounds, and reports another run that blocks it', async () => {
  await expect(call(60_001)).rejects.toMatchObject({ details: 'budget_ms: must be 1 to 60000' });
  await expect(call(-1)).rejects.toMatchObject({ details: 'budget_ms: must be 1 to 60000' });
  const client = await ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE ledger.reconciliation_pass IN SHARE UPDATE EXCLUSIVE MODE');
    await expect(call()).rejects.toMatchObject({
      details: 'another reconciliation is running: try again when it has ended',
    });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
