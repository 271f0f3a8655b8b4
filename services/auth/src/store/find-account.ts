import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';

/** Finds an account by its id. */
export async function findAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(`SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts WHERE account_id = $1`, [
    accountId,
  ]);
  return rows[0];
}
