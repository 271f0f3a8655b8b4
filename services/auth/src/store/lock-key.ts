import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';

/**
 * Finds a key and locks it until the end of the transaction, so that changes of one key are made one after the other.
 *
 * @param accountId when given, only if the key is this account's
 */
export async function lockKey(
  db: Queryable,
  keyId: string,
  accountId: string | undefined,
): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys
     WHERE key_id = $1 AND account_id = coalesce($2::uuid, account_id)
     FOR NO KEY UPDATE`,
    [keyId, accountId],
  );
  return rows[0];
}
