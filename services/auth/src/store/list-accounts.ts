import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';

/** Accounts in order of creation, which is that of their ids, after the given one (undefined: from the first). */
export async function listAccounts(db: Queryable, after: string | undefined, limit: number): Promise<AccountRow[]> {
  const { rows } = await db.query<AccountRow>(
    `SELECT ${ACCOUNT_COLUMNS} FROM auth.accounts
     WHERE account_id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
     ORDER BY account_id LIMIT $2`,
    [after, limit],
  );
  return rows;
}
