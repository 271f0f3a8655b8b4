import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * Records that a watcher has pinged, what it has applied, and what it follows. What it applied never goes back: pings of
 * two streams of one watcher may arrive in any order.
 */
export async function recordHeartbeat(
  db: Queryable,
  watcherId: string,
  appliedSequence: bigint,
  version: number,
): Promise<void> {
  await db.query({
    name: 'record-heartbeat',
    text: `INSERT INTO auth.watchers AS w (watcher_id, heartbeat_at, applied_sequence, version)
           VALUES ($1, clock_timestamp(), $2, $3)
           ON CONFLICT (watcher_id) DO UPDATE
           SET heartbeat_at = clock_timestamp(),
               applied_sequence = greatest(w.applied_sequence, excluded.applied_sequence),
               version = excluded.version`,
    values: [watcherId, appliedSequence, version],
  });
}
