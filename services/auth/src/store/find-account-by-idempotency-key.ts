import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';

/** Finds the account that a call with this idempotency key has made. */
export async function findAccountByIdempotencyKey(db: Queryable, key: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts WHERE idempotency_key = $1`,
    [key],
  );
  return rows[0];
}
