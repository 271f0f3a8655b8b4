import type { Queryable } from '@tollgate/common/postgres/pool';

/** Removes watchers not heard of and revocations older than `ageMs`. */
export async function removeOutdated(db: Queryable, ageMs: number): Promise<void> {
  await db.query(
    `WITH gone AS (
       DELETE FROM auth.watchers WHERE heartbeat_at < clock_timestamp() - $1 * interval '1 millisecond'
     )
     DELETE FROM auth.revocations WHERE revoked_at < clock_timestamp() - $1 * interval '1 millisecond'`,
    [ageMs],
  );
}
