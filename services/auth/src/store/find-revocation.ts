import type { Queryable } from '@tollgate/common/postgres/pool';

/** The sequence number of a key's revocation; undefined once it is so old that no cached record can remain. */
export async function findRevocation(db: Queryable, keyId: string): Promise<bigint | undefined> {
  const { rows } = await db.query<{ sequence: bigint }>('SELECT sequence FROM auth.revocations WHERE key_id = $1', [
    keyId,
  ]);
  return rows[0]?.sequence;
}
