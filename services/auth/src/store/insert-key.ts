import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyAttributes, type KeyRow } from './api-key.ts';

export interface KeyToInsert extends KeyAttributes {
  keyId: string;
  accountId: string;
  sha256: Buffer;
  displayPrefix: string;
  lastFour: string;
}

/** Inserts a key and returns its row. */
export async function insertKey(db: Queryable, key: KeyToInsert): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `INSERT INTO auth.keys
       (key_id, account_id, name, key_sha256, display_prefix, last_four, allowed_models, expires_at,
        day_cap_nanos, month_cap_nanos, total_cap_nanos, requests_per_minute, tokens_per_minute, open_requests, tags)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     RETURNING ${KEY_COLUMNS}`,
    [
      key.keyId,
      key.accountId,
      key.name,
      key.sha256,
      key.displayPrefix,
      key.lastFour,
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
  if (row === undefined) throw new Error('an inserted key was not returned');
  return row;
}
