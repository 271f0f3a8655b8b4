import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';

/** Finds an account and locks it until the end of the transaction, so that its changes are made one after the other. */
export async function lockAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts WHERE account_id = $1 FOR NO KEY UPDATE`,
    [accountId],
  );
  return rows[0];
}
