import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';
import type { CapColumns } from './spending-caps.ts';

/**
 * Puts caps in the place of all caps of a key that is not deleted, under a new revision.
 *
 * @param accountId when given, only if the key is this account's
 * @returns undefined when there is no such key, or it is deleted
 */
export async function updateSpendingCaps(
  db: Queryable,
  keyId: string,
  accountId: string | undefined,
  caps: CapColumns,
): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys
     SET day_cap_nanos = $3, month_cap_nanos = $4, total_cap_nanos = $5, revision = revision + 1
     WHERE key_id = $1 AND account_id = coalesce($2::uuid, account_id) AND deleted_at IS NULL
     RETURNING ${KEY_COLUMNS}`,
    [keyId, accountId, caps.day_cap_nanos, caps.month_cap_nanos, caps.total_cap_nanos],
  );
  return rows[0];
}
