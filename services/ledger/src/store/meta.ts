import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * SQL: the identity of the database. It contains the timeline, because a promoted standby or a restore to a point in time is
 * a copy without the last commits, with the same database_id but a new timeline.
 */
export const DATABASE_ID = `(SELECT database_id::text || '.' || epoch || '.' ||
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) FROM ledger.meta)`;

/** Fences all sessions opened until now, including those that this database does not contain. @returns the new epoch */
export async function raiseEpoch(db: Queryable): Promise<bigint> {
  const { rows } = await db.query<{ epoch: bigint }>(
    `UPDATE ledger.meta
     SET epoch = epoch + 1, epoch_since_ms = ceil(extract(epoch FROM clock_timestamp()) * 1000)::bigint
     RETURNING epoch`,
  );
  const row = rows[0];
  if (row === undefined) throw new Error('ledger.meta has no row');
  return row.epoch;
}
