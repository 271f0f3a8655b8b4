import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';

/** Sets an account's discount, parts per million; undefined when there is no such account. */
export async function updateDiscount(
  db: Queryable,
  accountId: string,
  discountPpm: number,
): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `UPDATE auth.accounts SET discount_ppm = $2 WHERE account_id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
    [accountId, discountPpm],
  );
  return rows[0];
}
