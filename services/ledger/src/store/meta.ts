import type { Queryable } from '@tollgate/common/postgres/pool';

/**
 * The SQL of the name that tells one database from another, with its epoch. The timeline is part of it because a standby
 * that was promoted, or a restore to a point in time, is a copy that may lack the last commits: it goes on under the same
 * database_id but on a new timeline.
 */
export const DATABASE_ID = `(SELECT database_id::text || '.' || epoch || '.' ||
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) FROM ledger.meta)`;

/** The SQL of the database's clock, Unix milliseconds. */
export const DATABASE_TIME_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Fences every session opened until now, also those this database does not know. @returns the new epoch */
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
