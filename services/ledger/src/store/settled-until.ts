import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * A time up to which no further entry will be posted, Unix milliseconds. The time of an entry is taken from the database's
 * clock after its transaction started. Writing transactions have an id and are visible here with their start; one without
 * an id took its time less than the maximum duration of a statement ago.
 *
 * Read it before the snapshot in which entries up to this time are read, because transactions visible here may still commit.
 *
 * @param lagMs longer than a statement may run, and than the clock difference between a database and its standby
 */
export async function readSettledUntil(db: Queryable, lagMs: number): Promise<number> {
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
