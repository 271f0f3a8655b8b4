import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';
import { NEXT_REVISION } from './next-revision.ts';

/** Writes what can be changed of a locked account, under a new revision. */
export async function writeAccount(db: Queryable, account: AccountRow): Promise<AccountRow> {
  const { rows } = await db.query<AccountRow>(
    `UPDATE auth.accounts
     SET name = $2, discount_ppm = $3, requests_per_minute = $4, tokens_per_minute = $5, open_requests = $6,
         status = $7, suspension_reason = $8, revision = ${NEXT_REVISION}
     WHERE account_id = $1
     RETURNING ${ACCOUNT_COLUMNS}`,
    [
      account.account_id,
      account.name,
      account.discount_ppm,
      account.requests_per_minute,
      account.tokens_per_minute,
      account.open_requests,
      account.status,
      account.suspension_reason,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a locked account is gone');
  return row;
}
