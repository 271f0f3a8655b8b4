import type { PoolClient } from '@tollgate/common/postgres/pool';

/** The accounts whose lease of a session still covers something, or a part of a cap of which it has, in order. */
export async function accountsWithCover(
  client: PoolClient,
  sessionId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'accounts-with-cover',
    text: `
      SELECT account_id::text FROM (
        (SELECT account_id FROM ledger.leases
         WHERE session_id = $1 AND account_id > $2 AND granted > spent + returned
         ORDER BY account_id LIMIT $3)
        UNION
        (SELECT DISTINCT account_id FROM ledger.cap_leases
         WHERE session_id = $1 AND account_id > $2
         ORDER BY account_id LIMIT $3)
      ) AS accounts
      ORDER BY accounts.account_id LIMIT $3`,
    values: [sessionId, after, limit],
  });
  return rows.map((row) => row.account_id);
}

/**
 * Frees what a session's leases on these accounts still cover. The session must have ended, and the balances be locked.
 *
 * @param transferIds one new UUIDv7 for each account
 * @returns the nano-dollars freed
 */
export async function freeLeases(
  client: PoolClient,
  sessionId: string,
  accountIds: string[],
  transferIds: string[],
  nowMs: bigint,
): Promise<bigint> {
  const { rows } = await client.query<{ freed: bigint }>({
    name: 'free-leases',
    text: `
      WITH rest AS (
        SELECT l.account_id, t.transfer_id, l.granted - l.spent - l.returned AS amount
        FROM unnest($2::uuid[], $3::uuid[]) AS t (account_id, transfer_id)
        JOIN ledger.leases l ON l.account_id = t.account_id AND l.session_id = $1
        WHERE l.granted > l.spent + l.returned
      ), lease AS (
        UPDATE ledger.leases l SET returned = l.returned + rest.amount
        FROM rest WHERE l.account_id = rest.account_id AND l.session_id = $1
      ), moved AS (
        UPDATE ledger.balances b SET available = b.available + rest.amount, leased = b.leased - rest.amount
        FROM rest WHERE b.account_id = rest.account_id
      ), transfer AS (
        INSERT INTO ledger.transfers
          (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
        SELECT account_id, transfer_id, 'leased', 'available', amount, 'lease_freed', $1, $4 FROM rest
      )
      SELECT coalesce(sum(amount), 0)::bigint AS freed FROM rest`,
    values: [sessionId, accountIds, transferIds, nowMs],
  });
  return rows[0]?.freed ?? 0n;
}
