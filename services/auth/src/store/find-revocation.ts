import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * The sequence number of the last revocation of a key or an account, by its id; undefined once all are so old that no
 * cached record from before them can remain.
 */
export async function findRevocation(db: Queryable, id: string): Promise<bigint | undefined> {
  const { rows } = await db.query<{ sequence: bigint | null }>(
    `SELECT max(sequence) AS sequence FROM auth.revocations
     WHERE key_id = $1 OR changed_key_id = $1 OR account_id = $1`,
    [id],
  );
  return rows[0]?.sequence ?? undefined;
}
