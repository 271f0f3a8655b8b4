import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * A time before which no entry will be posted any more, Unix milliseconds. Entries carry a time of the database's clock
 * taken after their transaction began. Transactions that write have an id and are seen here with their begin; one that
 * has none yet took its time less than a statement's longest duration ago.
 *
 * Read before the snapshot in which entries up to this time are looked at, since transactions seen here may still end.
 *
 * @param lagMs longer than a statement may run, and than clocks differ between a database and its standby
 */
export async function readHorizon(db: Queryable, lagMs: number): Promise<number> {
  const { rows } = await db.query<{ horizon_ms: bigint }>({
    name: 'read-horizon',
    text: `
      SELECT floor(extract(epoch FROM
               least(clock_timestamp() - $1 * interval '1 millisecond', min(xact_start))) * 1000)::bigint - 1 AS horizon_ms
      FROM pg_stat_activity
      WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`,
    values: [lagMs],
  });
  return Number(rows[0]?.horizon_ms ?? 0);
}
