import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';

/** Marks a locked key as deleted, for good. */
export async function markKeyDeleted(db: Queryable, keyId: string): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys SET deleted_at = clock_timestamp() WHERE key_id = $1 RETURNING ${KEY_COLUMNS}`,
    [keyId],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a locked key is gone');
  return row;
}
