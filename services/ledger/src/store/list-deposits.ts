import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Deposit } from '@tollgate/proto/ledger';
import type { Cursor, TimeRange } from '../ranges.ts';
import { DEPOSIT_COLUMNS, type DepositRow, depositFromRow } from './deposit-row.ts';

/** Deposits of an account in a time range, newest first, after the cursor. */
export async function listDeposits(
  db: Queryable,
  accountId: string,
  range: TimeRange,
  cursor: Cursor | undefined,
  limit: number,
): Promise<Deposit[]> {
  const { rows } = await db.query<DepositRow>({
    name: cursor === undefined ? 'list-deposits' : 'list-deposits-after',
    text: `
      SELECT ${DEPOSIT_COLUMNS} FROM ledger.deposits
      WHERE account_id = $1 AND created_at_ms >= $2 AND created_at_ms < $3
        ${cursor === undefined ? '' : 'AND (created_at_ms, deposit_id) < ($5, $6::uuid)'}
      ORDER BY created_at_ms DESC, deposit_id DESC LIMIT $4`,
    values: [accountId, range.startMs, range.endMs, limit, ...(cursor === undefined ? [] : [cursor.timeMs, cursor.id])],
  });
  return rows.map(depositFromRow);
}
