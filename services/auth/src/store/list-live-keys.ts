import type { Queryable } from '@tollgate/common/postgres/pool';

export interface LiveKey {
  key_id: string;
  key_sha256: Buffer;
  previous_sha256: Buffer | null;
}

/** Keys of an account that are not deleted, in order of their ids, after the given one (undefined: from the first). */
export async function listLiveKeys(
  db: Queryable,
  accountId: string,
  after: string | undefined,
  limit: number,
): Promise<LiveKey[]> {
  const { rows } = await db.query<LiveKey>(
    `SELECT key_id, key_sha256, previous_sha256 FROM auth.keys
     WHERE account_id = $1 AND key_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
       AND deleted_at IS NULL
     ORDER BY key_id LIMIT $3`,
    [accountId, after, limit],
  );
  return rows;
}
