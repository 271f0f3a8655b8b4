import type { Queryable } from '@tollgate/common/postgres/pool';
import { HEARTBEAT, type WatcherRow } from './list-watchers.ts';

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
