import type { Queryable } from '@tollgate/common/postgres/pool';

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
