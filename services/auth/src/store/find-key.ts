import type { Queryable } from '@tollgate/common/postgres/pool';
import { KEY_COLUMNS, type KeyRow } from './api-key.ts';

/** Finds a key by its id and, when given, its account. */
export async function findKey(
  db: Queryable,
  keyId: string,
  accountId: string | undefined,
): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(
    `SELECT ${KEY_COLUMNS} FROM auth.keys WHERE key_id = $1 AND account_id = coalesce($2::uuid, account_id)`,
    [keyId, accountId],
  );
  return rows[0];
}
