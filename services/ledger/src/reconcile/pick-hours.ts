import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { AccountHour } from './check-hours.ts';

/** Hours that began before a time and whose charges changed since they were last checked, oldest first, after one. */
export async function uncheckedHours(
  client: PoolClient,
  beforeMs: number,
  after: AccountHour,
  limit: number,
): Promise<AccountHour[]> {
  const { rows } = await client.query<{ account_id: string; start_ms: bigint }>({
    name: 'unchecked-hours',
    text: `
      SELECT account_id::text, start_ms FROM ledger.reconciled_hours h
      WHERE start_ms < $1 AND (start_ms, account_id) > ($2, $3::uuid)
      ORDER BY h.start_ms, h.account_id LIMIT $4`,
    values: [beforeMs, after.startMs, after.accountId, limit],
  });
  return rows.map((row) => ({ accountId: row.account_id, startMs: Number(row.start_ms) }));
}

/** Notes that hours were found to agree with their charges. */
export async function dropHours(client: PoolClient, hours: readonly AccountHour[]): Promise<void> {
  await client.query({
    name: 'drop-reconciled-hours',
    text: `
      DELETE FROM ledger.reconciled_hours r USING unnest($1::uuid[], $2::bigint[]) AS h (account_id, start_ms)
      WHERE r.account_id = h.account_id AND r.start_ms = h.start_ms`,
    values: [hours.map((hour) => hour.accountId), hours.map((hour) => hour.startMs)],
  });
}
