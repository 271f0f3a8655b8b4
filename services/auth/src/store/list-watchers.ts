import type { Queryable } from '@tollgate/common/postgres/pool';
import { ChangesVersion } from '@tollgate/proto/auth';

/** An ingress that has pinged some auth and has not left since. */
export interface WatcherRow {
  watcher_id: string;
  /** Differs after each heartbeat, as HEARTBEAT reads it. Never used as a time. */
  heartbeat: string;
  /** What the ingress follows, of ChangesVersion. */
  version: number;
  /** The longest trust that an auth of this version has granted it. */
  trust_ms: number;
}

/**
 * Names the last heartbeat of a row: the transaction that recorded it, and the database's time then, since a standby that
 * takes over may give the number of a lost transaction again.
 */
export const HEARTBEAT = `xmin::text || ' at ' || extract(epoch FROM heartbeat_at)::text`;

const COLUMNS = `watcher_id, ${HEARTBEAT} AS heartbeat, version, trust_ms`;

export async function listWatchers(db: Queryable): Promise<WatcherRow[]> {
  const { rows } = await db.query<WatcherRow>({
    name: 'list-watchers',
    text: `SELECT ${COLUMNS} FROM auth.watchers`,
  });
  return rows;
}

/**
 * The watchers that have not confirmed this revocation. The word of one that does not follow changes of keys and accounts
 * is no confirmation of any.
 */
export async function listUnconfirmed(db: Queryable, sequence: bigint): Promise<WatcherRow[]> {
  const { rows } = await db.query<WatcherRow>({
    name: 'list-unconfirmed',
    text: `SELECT ${COLUMNS} FROM auth.watchers
           WHERE applied_sequence < $1
              OR (version < $2 AND EXISTS (
                SELECT FROM auth.revocations WHERE sequence = $1 AND revision IS NOT NULL))`,
    values: [sequence, ChangesVersion.REVISIONS],
  });
  return rows;
}
