import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * A time up to which nothing further will be recorded, Unix milliseconds. The time of a record is taken from the database's clock
 * after its transaction started. Writing transactions have an id and are visible here with their start.
 *
 * Read it before the snapshot in which records up to this time are read, because transactions visible here may still commit.
 */
export async function readSettledUntil(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ horizon_ms: bigint }>({
    name: 'read-horizon',
    text: `
      SELECT floor(extract(epoch FROM least(clock_timestamp(), min(xact_start))) * 1000)::bigint - 1 AS horizon_ms
      FROM pg_stat_activity
      WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()`,
  });
  return Number(rows[0]?.horizon_ms ?? 0);
}
