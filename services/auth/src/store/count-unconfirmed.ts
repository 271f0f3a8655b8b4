import type { Queryable } from '@tollgate/common/postgres/pool';
import { ChangesVersion } from '@tollgate/proto/auth';

/**
 * How many watchers may still trust a cached record from before this revocation: they have not confirmed it, and by the
 * database's clock their trust has not run out. The word of one that does not follow changes of keys and accounts is no
 * confirmation of any.
 */
export async function countUnconfirmed(db: Queryable, sequence: bigint, trustMs: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-unconfirmed',
    text: `SELECT count(*)::int AS count FROM auth.watchers
           WHERE heartbeat_at > clock_timestamp() - $2 * interval '1 millisecond'
             AND (applied_sequence < $1
               OR (version < $3 AND EXISTS (
                 SELECT FROM auth.revocations WHERE sequence = $1 AND revision IS NOT NULL)))`,
    values: [sequence, trustMs, ChangesVersion.REVISIONS],
  });
  return rows[0]?.count ?? 0;
}
