import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Deposit } from '@tollgate/proto/ledger';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow } from './deposit-row.ts';

export interface KnownDeposit {
  deposit: Deposit;
  inputHash: Buffer;
}

/** The deposit made under an idempotency key of the account, if there is one. */
export async function findDeposit(
  client: PoolClient,
  accountId: string,
  idempotencyKey: string,
): Promise<KnownDeposit | undefined> {
  const { rows } = await client.query<DepositRow & { input_hash: Buffer }>({
    name: 'find-deposit',
    text: `SELECT ${DEPOSIT_COLUMNS}, input_hash FROM ledger.deposits WHERE account_id = $1 AND idempotency_key = $2`,
    values: [accountId, idempotencyKey],
  });
  const row = rows[0];
  return row && { deposit: depositFromRow(row), inputHash: row.input_hash };
}
