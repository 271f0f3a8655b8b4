import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';
import type { CapColumns } from './spending-caps.ts';

export interface KeyToInsert {
  keyId: string;
  accountId: string;
  name: string;
  sha256: Buffer;
  displayPrefix: string;
  lastFour: string;
  allowedModels: string[];
  expiresAt: Date | null;
  caps: CapColumns;
}

/** Inserts a key and returns its row. */
export async function insertKey(db: Queryable, key: KeyToInsert): Promise<KeyRow> {
  const { rows } = await db.query<KeyRow>(
    `INSERT INTO auth.keys
       (key_id, account_id, name, key_sha256, display_prefix, last_four, allowed_models, expires_at,
        day_cap_nanos, month_cap_nanos, total_cap_nanos)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     RETURNING ${KEY_COLUMNS}`,
    [
      key.keyId,
      key.accountId,
      key.name,
      key.sha256,
      key.displayPrefix,
      key.lastFour,
      key.allowedModels,
      key.expiresAt,
      key.caps.day_cap_nanos,
      key.caps.month_cap_nanos,
      key.caps.total_cap_nanos,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an inserted key was not returned');
  return row;
}
