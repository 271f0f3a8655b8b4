import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import {
  LEDGER_ACCOUNTS,
  MOVED_BY_LEDGER_ACCOUNT,
  MOVED_LEASES,
  MOVEMENTS,
  movementsBetween,
  SUMS_BY_LEDGER_ACCOUNT,
} from './statements.ts';

/** The latest partitions, which may have grown: of the past, the current and one more month. */
const GROWING = 3;

/**
 * Updates the index by time of the growing partitions. Postgres does so only when it vacuums a table, possibly long after
 * millions of rows were added; until then all of them are read each time.
 *
 * If a partition is locked, it is left to the next run.
 */
export async function summarizeRanges(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'growing-indexes',
    text: `
      SELECT name FROM (
        SELECT i.indexrelid::regclass::text AS name,
               row_number() OVER (PARTITION BY h.inhparent ORDER BY c.relname DESC) AS place
        FROM pg_inherits h
        JOIN pg_class c ON c.oid = h.inhrelid
        JOIN pg_index i ON i.indrelid = h.inhrelid
        JOIN pg_class x ON x.oid = i.indexrelid
        JOIN pg_am a ON a.oid = x.relam AND a.amname = 'brin'
        WHERE h.inhparent IN ('ledger.charges'::regclass, 'ledger.transfers'::regclass)
          AND pg_relation_size(c.oid) > 0
      ) ranked
      WHERE place <= $1`,
    values: [GROWING],
  });
  for (const { name } of rows) {
    await inTransaction(pool, async (client) => {
      // Shorter than the time after which Postgres cancels a blocking autovacuum.
      await client.query("SELECT set_config('lock_timeout', '300ms', true)");
      await client.query({
        name: 'summarize-ranges',
        text: 'SELECT brin_summarize_new_values($1::regclass)',
        values: [name],
      });
    }).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
    });
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}

const ADDED_SUMS = LEDGER_ACCOUNTS.map((side) => `${side} = r.${side} + excluded.${side}`).join(', ');

/**
 * Adds the entries of a time span to the sums of their accounts and leases, records their hours, and advances the progress.
 * The progress must be locked, and the span must get no further entries.
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
      INSERT INTO ledger.reconciled AS r (account_id, ${LEDGER_ACCOUNTS.join(', ')}, touched_ms)
      SELECT account_id, ${SUMS_BY_LEDGER_ACCOUNT}, $2 FROM (${MOVED_BY_LEDGER_ACCOUNT}) entry GROUP BY account_id
      ON CONFLICT (account_id) DO UPDATE SET ${ADDED_SUMS}, touched_ms = excluded.touched_ms
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

/**
 * Sums accounts again, from their rows up to the reconciled time. The progress must be locked.
 */
export async function resumAccounts(client: PoolClient, accountIds: string[], untilMs: number): Promise<void> {
  await client.query({
    name: 'remove-reconciled-leases',
    text: 'DELETE FROM ledger.reconciled_leases WHERE account_id = ANY ($1::uuid[])',
    values: [accountIds],
  });
  await client.query({
    name: 'resum-accounts',
    text: `
      INSERT INTO ledger.reconciled (account_id, ${LEDGER_ACCOUNTS.join(', ')}, touched_ms)
      SELECT account_id, ${SUMS_BY_LEDGER_ACCOUNT}, $2 FROM (
        SELECT account_id, side, amount FROM ledger.entries WHERE account_id = ANY ($1::uuid[]) AND created_at_ms <= $2
        UNION ALL SELECT unnest($1::uuid[]), 'available', 0
      ) entry
      GROUP BY account_id
      ON CONFLICT (account_id) DO UPDATE
        SET ${LEDGER_ACCOUNTS.map((side) => `${side} = excluded.${side}`).join(', ')}, touched_ms = excluded.touched_ms`,
    values: [accountIds, untilMs],
  });
  await client.query({
    name: 'resum-leases',
    text: `
      INSERT INTO ledger.reconciled_leases (account_id, session_id, granted, spent, returned)
      SELECT account_id, session_id, sum(granted), sum(spent), sum(returned) FROM (
        SELECT account_id, session_id, 0 AS granted, charged_nanos AS spent, 0 AS returned FROM ledger.charges
        WHERE account_id = ANY ($1::uuid[]) AND settled_at_ms <= $2
        UNION ALL
        SELECT account_id, reference, CASE reason WHEN 'lease_grant' THEN amount ELSE 0 END, 0,
               CASE reason WHEN 'lease_grant' THEN 0 ELSE amount END
        FROM ledger.transfers
        WHERE account_id = ANY ($1::uuid[]) AND created_at_ms <= $2
          AND reason IN ('lease_grant', 'lease_return', 'lease_freed')
        UNION ALL
        SELECT account_id, session_id, granted, spent, returned FROM ledger.carried_leases
        WHERE account_id = ANY ($1::uuid[])
      ) entry
      WHERE NOT EXISTS (SELECT FROM ledger.sessions s WHERE s.session_id = entry.session_id AND s.leases_removed)
      GROUP BY account_id, session_id`,
    values: [accountIds, untilMs],
  });
}
