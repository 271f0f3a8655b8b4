import type { Queryable } from '@tollgate/common/postgres/pool';

export interface Heartbeat {
  watcherId: string;
  appliedSequence: bigint;
  version: number;
  /** How long the watcher may trust cached records from the sending of this ping on. */
  trustMs: number;
}

/**
 * Records that a watcher has pinged, what it has applied, and what it follows. What it applied never goes back: pings of
 * two streams of one watcher may arrive in any order. Neither does the trust it may have: an earlier answer with a longer
 * time may be the last that has reached it.
 */
export async function recordHeartbeat(
  db: Queryable,
  { watcherId, appliedSequence, version, trustMs }: Heartbeat,
): Promise<void> {
  await db.query({
    name: 'record-heartbeat',
    text: `INSERT INTO auth.watchers AS w (watcher_id, heartbeat_at, applied_sequence, version, trust_ms)
           VALUES ($1, clock_timestamp(), $2, $3, $4)
           ON CONFLICT (watcher_id) DO UPDATE
           SET heartbeat_at = clock_timestamp(),
               applied_sequence = greatest(w.applied_sequence, excluded.applied_sequence),
               version = excluded.version,
               trust_ms = greatest(w.trust_ms, excluded.trust_ms)`,
    values: [watcherId, appliedSequence, version, trustMs],
  });
}
