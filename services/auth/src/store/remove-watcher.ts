import type { Queryable } from '@tollgate/common/postgres/pool';

/** Forgets a watcher that has said that it trusts no cached key any more. */
export async function removeWatcher(db: Queryable, watcherId: string): Promise<void> {
  await db.query('DELETE FROM auth.watchers WHERE watcher_id = $1', [watcherId]);
}
