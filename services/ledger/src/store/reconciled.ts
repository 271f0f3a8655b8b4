import type { PoolClient } from '@tollgate/common/postgres/pool';

/** An hour of an account. */
export interface AccountHour {
  accountId: string;
  /** Unix milliseconds. */
  startMs: number;
}

/** A page of the accounts with entries since they were last compared with their balance, in order, after the given one. */
export async function unverifiedAccounts(client: PoolClient, after: string, limit: number): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'unverified-accounts',
    text: `
      SELECT account_id::text FROM ledger.reconciled r WHERE touched_ms > verified_ms AND account_id > $1
      ORDER BY r.account_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

/** A page of all accounts with a balance or entries, in order, after the given one. */
export async function nextAccounts(client: PoolClient, after: string, limit: number): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'next-accounts',
    text: `
      SELECT account_id::text FROM (
        (SELECT account_id FROM ledger.balances WHERE account_id > $1 ORDER BY account_id LIMIT $2)
        UNION
        (SELECT account_id FROM ledger.reconciled WHERE account_id > $1 ORDER BY account_id LIMIT $2)
      ) a ORDER BY a.account_id LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => row.account_id);
}

/** Records that accounts matched their entries up to a time. */
export async function markVerified(client: PoolClient, accountIds: string[], untilMs: number): Promise<void> {
  await client.query({
    name: 'mark-verified',
    text: 'UPDATE ledger.reconciled SET verified_ms = $2 WHERE account_id = ANY ($1::uuid[]) AND touched_ms > verified_ms',
    values: [accountIds, untilMs],
  });
}

/** A page of the hours that started before a time and have charges since they were last checked, oldest first. */
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

/** Records that hours matched their charges. */
export async function dropHours(client: PoolClient, hours: readonly AccountHour[]): Promise<void> {
  await client.query({
    name: 'drop-reconciled-hours',
    text: `
      DELETE FROM ledger.reconciled_hours r USING unnest($1::uuid[], $2::bigint[]) AS h (account_id, start_ms)
      WHERE r.account_id = h.account_id AND r.start_ms = h.start_ms`,
    values: [hours.map((hour) => hour.accountId), hours.map((hour) => hour.startMs)],
  });
}
