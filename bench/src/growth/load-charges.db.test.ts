import { newId } from '@tollgate/common/ids';
import { createLedger, type LedgerFixture } from '@tollgate/ledger/testing/ledger-fixture';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadCharges } from './load-charges.ts';

let ledger: LedgerFixture;

beforeEach(async () => {
  ledger = await createLedger();
});
afterEach(() => ledger.drop());

it('replaces the credit of the demo account by a history', async () => {
  await ledger.pool.query(
    `INSERT INTO ledger.transfers (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
     VALUES ($1, $2, 'deposits', 'available', 1, 'deposit', $2, 0)`,
    [newId(), newId()],
  );
  await loadCharges(ledger.url, 2_000);
  const { rows } = await ledger.pool.query('SELECT count(*)::int AS charges FROM ledger.charges');
  expect(rows).toEqual([{ charges: 2_000 }]);
});
