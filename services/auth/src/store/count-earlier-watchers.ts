import type { Queryable } from '@tollgate/common/postgres/pool';

/** How many live watchers follow less than a version of changes. */
export async function countEarlierWatchers(db: Queryable, version: number, trustMs: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-earlier-watchers',
    text: `SELECT count(*)::int AS count FROM auth.watchers
           WHERE version < $1 AND heartbeat_at > clock_timestamp() - $2 * interval '1 millisecond'`,
    values: [version, trustMs],
  });
  return rows[0]?.count ?? 0;
}
