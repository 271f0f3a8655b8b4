import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * Records a deleted key for all ingresses; to be called in the transaction that deletes it, and last.
 *
 * The number comes from one row, which stays locked until the commit, so that numbers are seen in their order: a reader
 * cannot meet a number and miss a smaller one that commits later. It also follows the clock, so that a database restored
 * from a backup gives none again that an ingress has applied already.
 *
 * @returns the revocation's sequence number
 */
export async function insertRevocation(db: Queryable, keyId: string, sha256: Buffer): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>(
    `WITH clock AS (
       UPDATE auth.revocation_clock
       SET sequence = greatest(sequence + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
       RETURNING sequence
     )
     INSERT INTO auth.revocations (sequence, key_id, key_sha256, revoked_at)
     SELECT sequence, $1, $2, clock_timestamp() FROM clock
     RETURNING sequence`,
    [keyId, sha256],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the revocation clock has no row');
  return row.sequence;
}
