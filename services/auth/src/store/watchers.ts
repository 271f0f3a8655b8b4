import type { Queryable } from '@tollgate/common/postgres/pool';

/** An ingress that has pinged some auth and has not left since. */
export interface WatcherRow {
  watcher_id: string;
  /** Differs after each heartbeat, as HEARTBEAT reads it. Never used as a time. */
  heartbeat: string;
  /** The longest trust that an auth has granted it. */
  trust_ms: number;
  ingress_name: string;
}

/**
 * Names the last heartbeat of a row: the transaction that recorded it, and the database's time then, since a standby that
 * takes over may give the number of a lost transaction again.
 */
export const HEARTBEAT = `xmin::text || ' at ' || extract(epoch FROM heartbeat_at)::text`;

const COLUMNS = `watcher_id, ${HEARTBEAT} AS heartbeat, trust_ms, ingress_name`;

export async function listWatchers(db: Queryable): Promise<WatcherRow[]> {
  const { rows } = await db.query<WatcherRow>({
    name: 'list-watchers',
    text: `SELECT ${COLUMNS} FROM auth.watchers`,
  });
  return rows;
}

/** The watchers that have not confirmed this revocation. */
export async function listUnconfirmed(db: Queryable, sequence: bigint): Promise<WatcherRow[]> {
  const { rows } = await db.query<WatcherRow>({
    name: 'list-unconfirmed',
    text: `SELECT ${COLUMNS} FROM auth.watchers
           WHERE applied_sequence < $1`,
    values: [sequence],
  });
  return rows;
}

export interface Heartbeat {
  watcherId: string;
  appliedSequence: bigint;
  /** How long the watcher may trust cached records from the sending of this ping on. */
  trustMs: number;
  ingressName: string;
}

/**
 * Records that a watcher has pinged, and what it has applied. What it applied never goes back: pings of
 * two streams of one watcher may arrive in any order. Neither does its trust: an earlier response with a
 * longer time may be the last one it received. When it has applied more, the time of that is recorded too.
 */
export async function recordHeartbeat(
  db: Queryable,
  { watcherId, appliedSequence, trustMs, ingressName }: Heartbeat,
): Promise<void> {
  await db.query({
    name: 'record-heartbeat',
    text: `WITH heartbeat AS (
             INSERT INTO auth.watchers AS w
               (watcher_id, heartbeat_at, first_seen_at, applied_sequence, trust_ms, ingress_name)
             VALUES ($1, clock_timestamp(), clock_timestamp(), $2, $3, $4)
             ON CONFLICT (watcher_id) DO UPDATE
             SET heartbeat_at = clock_timestamp(),
                 applied_sequence = greatest(w.applied_sequence, excluded.applied_sequence),
                 trust_ms = greatest(w.trust_ms, excluded.trust_ms),
                 ingress_name = excluded.ingress_name
           )
           INSERT INTO auth.confirmations (watcher_id, sequence, confirmed_at)
           SELECT $1, $2, clock_timestamp()
           WHERE $2 > coalesce((SELECT applied_sequence FROM auth.watchers WHERE watcher_id = $1), 0)
           ON CONFLICT DO NOTHING`,
    values: [watcherId, appliedSequence, trustMs, ingressName],
  });
}

/** What operators see of a watcher. */
export interface WatcherLag {
  watcher_id: string;
  ingress_name: string;
  silent_ms: number;
  unconfirmed: bigint;
}

/** Watchers by the names of their ingresses, with how far each is behind. */
export async function listWatcherLags(db: Queryable, limit: number): Promise<WatcherLag[]> {
  const { rows } = await db.query<WatcherLag>(
    `SELECT w.watcher_id, w.ingress_name,
            greatest(0, extract(epoch FROM clock_timestamp() - w.heartbeat_at) * 1000)::float8 AS silent_ms,
            (SELECT count(*) FROM auth.revocations r WHERE r.sequence > w.applied_sequence) AS unconfirmed
     FROM auth.watchers w ORDER BY w.ingress_name, w.watcher_id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** Removes a watcher that has reported that it no longer trusts cached keys. */
export async function removeWatcher(db: Queryable, watcherId: string): Promise<void> {
  await db.query('DELETE FROM auth.watchers WHERE watcher_id = $1', [watcherId]);
}

/** Removes watchers, except those with a heartbeat since they were read. */
export async function removeSilentWatchers(
  db: Queryable,
  silent: readonly Pick<WatcherRow, 'watcher_id' | 'heartbeat'>[],
): Promise<void> {
  await db.query(
    `DELETE FROM auth.watchers
     WHERE (watcher_id, ${HEARTBEAT}) IN (SELECT * FROM unnest($1::uuid[], $2::text[]))`,
    [silent.map((row) => row.watcher_id), silent.map((row) => row.heartbeat)],
  );
}
