import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';

/**
 * Marks a key as deleted, for good.
 *
 * @param accountId when given, only if the key is this account's
 * @returns undefined when there is no such key, or it was deleted before
 */
export async function markKeyDeleted(
  db: Queryable,
  keyId: string,
  accountId: string | undefined,
): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys SET deleted_at = clock_timestamp()
     WHERE key_id = $1 AND account_id = coalesce($2::uuid, account_id) AND deleted_at IS NULL
     RETURNING ${KEY_COLUMNS}`,
    [keyId, accountId],
  );
  return rows[0];
}
