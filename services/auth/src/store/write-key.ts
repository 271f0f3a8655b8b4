import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyAttributes, type KeyRow } from './api-key.ts';
import { NEXT_REVISION } from './next-revision.ts';

/** Writes the attributes of a locked key, under a new revision. */
export async function writeKey(db: Queryable, key: KeyAttributes & Pick<KeyRow, 'key_id'>): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `UPDATE auth.keys
     SET name = $2, allowed_models = $3, expires_at = $4, day_cap_nanos = $5, month_cap_nanos = $6, total_cap_nanos = $7,
         requests_per_minute = $8, tokens_per_minute = $9, open_requests = $10, tags = $11, revision = ${NEXT_REVISION}
     WHERE key_id = $1
     RETURNING ${KEY_COLUMNS}`,
    [
      key.key_id,
      key.name,
      key.allowed_models,
      key.expires_at,
      key.day_cap_nanos,
      key.month_cap_nanos,
      key.total_cap_nanos,
      key.requests_per_minute,
      key.tokens_per_minute,
      key.open_requests,
      key.tags,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a locked key is gone');
  return row;
}
