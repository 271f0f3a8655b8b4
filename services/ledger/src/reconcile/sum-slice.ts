import type { PoolClient } from '@tollgate/common/postgres/pool';
import { MOVED_LEASES, MOVED_SIDES, MOVEMENTS, movementsBetween } from './movements-sql.ts';
import { SIDES, SUMS_BY_SIDE } from './sides.ts';

const ADDED_SIDES = SIDES.map((side) => `${side} = r.${side} + excluded.${side}`).join(', ');

/**
 * Adds the entries of a span of time to what is known of their accounts and leases, notes the hours that they lie in,
 * and moves the progress on. The progress must be locked, and no entry of the span be still to come.
 *
 * @returns how many charges and transfers there were
 */
export async function sumSlice(
  client: PoolClient,
  afterMs: number,
  upToMs: number,
): Promise<{ charges: number; transfers: number }> {
  const { rows } = await client.query<{ charges: bigint; transfers: bigint }>(
    `
    WITH ${MOVEMENTS},
    accounts AS (
      INSERT INTO ledger.reconciled AS r (account_id, ${SIDES.join(', ')}, touched_ms)
      SELECT account_id, ${SUMS_BY_SIDE}, $2 FROM (${MOVED_SIDES}) entry GROUP BY account_id
      ON CONFLICT (account_id) DO UPDATE SET ${ADDED_SIDES}, touched_ms = excluded.touched_ms
    ),
    leases AS (
      INSERT INTO ledger.reconciled_leases AS r (account_id, session_id, granted, spent, returned)
      SELECT account_id, session_id, sum(granted), sum(spent), sum(returned) FROM (${MOVED_LEASES}) entry
      GROUP BY account_id, session_id
      ON CONFLICT (account_id, session_id) DO UPDATE
        SET granted = r.granted + excluded.granted, spent = r.spent + excluded.spent,
            returned = r.returned + excluded.returned
    ),
    hours AS (
      INSERT INTO ledger.reconciled_hours (account_id, start_ms) SELECT DISTINCT account_id, hour_ms FROM charged
      ON CONFLICT (account_id, start_ms) DO NOTHING
    ),
    progress AS (
      UPDATE ledger.reconciliation SET until_ms = $2
    )
    SELECT coalesce((SELECT sum(entries) FROM charged), 0)::bigint AS charges,
           coalesce((SELECT sum(entries) FROM moved), 0)::bigint AS transfers`,
    movementsBetween(afterMs, upToMs),
  );
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate gave no row');
  return { charges: Number(row.charges), transfers: Number(row.transfers) };
}
