import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';

/** Keys of an account, deleted ones too, newest first, before the given one (undefined: from the newest). */
export async function listKeys(
  db: Queryable,
  accountId: string,
  before: string | undefined,
  limit: number,
): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys
     WHERE account_id = $1 AND key_id < coalesce($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
     ORDER BY key_id DESC LIMIT $3`,
    [accountId, before, limit],
  );
  return rows;
}
