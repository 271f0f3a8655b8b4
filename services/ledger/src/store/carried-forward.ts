import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { MonthTables } from './partitions.ts';

/**
 * Adds the sums of a month's entries, by account and side, to what is carried forward, and their sums by lease for leases
 * that still exist. The month must not get further entries.
 *
 * @param endMs end of the month
 */
export async function carryForward(
  client: PoolClient,
  tables: MonthTables,
  endMs: number,
): Promise<{ charges: number; transfers: number }> {
  const { rows } = await client.query<{ charges: bigint; transfers: bigint }>(
    `
    WITH charged AS MATERIALIZED (
      SELECT account_id, session_id, count(*) AS entries, sum(charged_nanos) AS charged, sum(cost_nanos) AS cost
      FROM ledger.${tables.charges} GROUP BY 1, 2
    ),
    moved AS MATERIALIZED (
      SELECT account_id, debit, credit, reason, count(*) AS entries, sum(amount) AS amount,
             CASE WHEN reason IN ('lease_grant', 'lease_return', 'lease_freed') THEN reference END AS session_id
      FROM ledger.${tables.transfers} GROUP BY account_id, debit, credit, reason, session_id
    ),
    sides AS (
      INSERT INTO ledger.carried_forward AS f (account_id, side, amount, until_ms)
      SELECT account_id, side, sum(amount), $1 FROM (
        SELECT account_id, debit AS side, -amount AS amount FROM moved
        UNION ALL SELECT account_id, credit, amount FROM moved
        UNION ALL SELECT account_id, 'leased', -charged FROM charged
        UNION ALL SELECT account_id, 'operator_loss', charged - cost FROM charged
        UNION ALL SELECT account_id, 'revenue', cost FROM charged
      ) entry
      GROUP BY 1, 2
      ON CONFLICT (account_id, side) DO UPDATE SET amount = f.amount + excluded.amount, until_ms = excluded.until_ms
    ),
    leases AS (
      INSERT INTO ledger.carried_leases AS c (account_id, session_id, granted, spent, returned)
      SELECT entry.account_id, entry.session_id, sum(entry.granted), sum(entry.spent), sum(entry.returned)
      FROM (
        SELECT account_id, session_id, 0 AS granted, charged AS spent, 0 AS returned FROM charged
        UNION ALL
        SELECT account_id, session_id, CASE reason WHEN 'lease_grant' THEN amount ELSE 0 END, 0,
               CASE reason WHEN 'lease_grant' THEN 0 ELSE amount END
        FROM moved WHERE session_id IS NOT NULL
      ) entry
      JOIN ledger.leases l ON l.account_id = entry.account_id AND l.session_id = entry.session_id
      GROUP BY 1, 2
      ON CONFLICT (account_id, session_id) DO UPDATE
        SET granted = c.granted + excluded.granted, spent = c.spent + excluded.spent,
            returned = c.returned + excluded.returned
    )
    SELECT coalesce((SELECT sum(entries) FROM charged), 0)::bigint AS charges,
           coalesce((SELECT sum(entries) FROM moved), 0)::bigint AS transfers`,
    [endMs],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('an aggregate gave no row');
  return { charges: Number(row.charges), transfers: Number(row.transfers) };
}
