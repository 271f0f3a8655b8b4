import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * How many watchers may still trust a cached record of a key revoked under this sequence number: they have not confirmed
 * it, and by the database's clock their trust has not run out.
 */
export async function countUnconfirmed(db: Queryable, sequence: bigint, trustMs: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-unconfirmed',
    text: `SELECT count(*)::int AS count FROM auth.watchers
           WHERE applied_sequence < $1 AND heartbeat_at > clock_timestamp() - $2 * interval '1 millisecond'`,
    values: [sequence, trustMs],
  });
  return rows[0]?.count ?? 0;
}
