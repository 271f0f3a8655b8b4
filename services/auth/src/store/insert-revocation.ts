import type { Queryable } from '@tollgate/common/postgres/pool';

/** What every ingress is told of. */
export type RevocationToInsert =
  /** A key that is deleted, with the value it has; the one before that is known by the key. */
  | { kind: 'deletion'; keyId: string; sha256: Buffer }
  /** Another value of a key that is dead for good. */
  | { kind: 'value'; keyId: string; sha256: Buffer }
  /** A key or an account of which records of an earlier revision are out of date. */
  | { kind: 'key'; keyId: string; revision: bigint }
  | { kind: 'account'; accountId: string; revision: bigint };

/**
 * Records something for all ingresses; to be called in the transaction that makes it so, and last.
 *
 * The number comes from one row, which stays locked until the commit, so that numbers are seen in their order: a reader
 * cannot meet a number and miss a smaller one that commits later. It also follows the clock, so that a database restored
 * from a backup gives none again that an ingress has applied already.
 *
 * @returns the revocation's sequence number
 */
export async function insertRevocation(db: Queryable, what: RevocationToInsert): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>(
    `WITH clock AS (
       UPDATE auth.revocation_clock
       SET sequence = greatest(sequence + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
       RETURNING sequence
     )
     INSERT INTO auth.revocations (sequence, key_id, changed_key_id, account_id, key_sha256, revision, revoked_at)
     SELECT sequence, $1, $2, $3, $4, $5, clock_timestamp() FROM clock
     RETURNING sequence`,
    columnsOf(what),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the revocation clock has no row');
  return row.sequence;
}

const NO_VALUE = Buffer.alloc(0);

/** In the order key_id, changed_key_id, account_id, key_sha256, revision. */
function columnsOf(what: RevocationToInsert): unknown[] {
  switch (what.kind) {
    case 'deletion':
      return [what.keyId, null, null, what.sha256, null];
    case 'value':
      return [null, what.keyId, null, what.sha256, null];
    case 'key':
      return [null, what.keyId, null, NO_VALUE, what.revision];
    case 'account':
      return [null, null, what.accountId, NO_VALUE, what.revision];
    default:
      return what satisfies never;
  }
}
