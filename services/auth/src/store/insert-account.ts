import type { Queryable } from '@tollgate/common/postgres/pool';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.ts';

/**
 * Inserts an account.
 *
 * @param idempotencyKey empty for none
 * @returns undefined when the tag or the idempotency key is taken
 */
export async function insertAccount(
  db: Queryable,
  account: { accountId: string; name: string; tag: string; idempotencyKey: string },
): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>(
    `INSERT INTO auth.accounts (account_id, name, tag, idempotency_key)
     VALUES ($1, $2, $3, nullif($4, ''))
     ON CONFLICT DO NOTHING
     RETURNING ${ACCOUNT_COLUMNS}`,
    [account.accountId, account.name, account.tag, account.idempotencyKey],
  );
  return rows[0];
}
