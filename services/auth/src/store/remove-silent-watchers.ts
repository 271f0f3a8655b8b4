import type { Queryable } from '@tollgate/common/postgres/pool';
import type { WatcherRow } from './list-watchers.ts';

/** Removes watchers, except those with a heartbeat since they were read. */
export async function removeSilentWatchers(
  db: Queryable,
  silent: readonly Pick<WatcherRow, 'watcher_id' | 'heartbeat'>[],
): Promise<void> {
  await db.query(
    `DELETE FROM auth.watchers w USING unnest($1::uuid[], $2::text[]) AS silent (watcher_id, heartbeat)
     WHERE w.watcher_id = silent.watcher_id AND w.xmin::text = silent.heartbeat`,
    [silent.map((row) => row.watcher_id), silent.map((row) => row.heartbeat)],
  );
}
