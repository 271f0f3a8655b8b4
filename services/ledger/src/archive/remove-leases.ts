import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import { lockBalances } from '../store/lock-balances.ts';

/** Leases removed in one transaction. */
const LEASES_AT_ONCE = 500;
/** Sessions looked at in one round. */
const SESSIONS_AT_ONCE = 100;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Removes the leases of sessions that closed longer ago than any charge can be late: they cover nothing, and were
 * compared with their charges. The sessions themselves stay, one row each, so that they stay fenced.
 *
 * @returns how many leases were removed
 */
export async function removeOldLeases(pool: Pool, closedBeforeMs: number): Promise<number> {
  let removed = 0;
  for (const sessionId of await sessionsToClear(pool, closedBeforeMs)) {
    await markSession(pool, sessionId);
    for (let after: string | undefined = BEFORE_ALL; after !== undefined; ) {
      const from: string = after;
      const step = await inTransaction(pool, (client) => removeSome(client, sessionId, from));
      removed += step.removed;
      after = step.next;
    }
    await finishSession(pool, sessionId);
  }
  return removed;
}

/** Sessions that closed before a time and are reconciled, with nothing found wrong of them; the oldest first. */
async function sessionsToClear(pool: Pool, closedBeforeMs: number): Promise<string[]> {
  const { rows } = await pool.query<{ session_id: string }>({
    name: 'sessions-to-clear',
    text: `
      SELECT s.session_id::text FROM ledger.sessions s
      WHERE s.state = 'closed' AND NOT s.leases_gone
        AND s.ended_at < to_timestamp(least($1, (SELECT until_ms FROM ledger.reconciliation)) / 1000.0)
        AND NOT EXISTS (SELECT FROM ledger.findings f WHERE f.place ->> 'session_id' = s.session_id::text)
      ORDER BY s.ended_at LIMIT $2`,
    values: [closedBeforeMs, SESSIONS_AT_ONCE],
  });
  return rows.map((row) => row.session_id);
}

/** Says first that the session's charges will stand without leases, so that reconciliation does not miss them. */
async function markSession(pool: Pool, sessionId: string): Promise<void> {
  await pool.query({
    name: 'mark-leases-removed',
    text: 'UPDATE ledger.sessions SET leases_removed = true WHERE session_id = $1',
    values: [sessionId],
  });
}

/** Removes some leases of a session, whose balances it locks first. */
async function removeSome(
  client: PoolClient,
  sessionId: string,
  after: string,
): Promise<{ removed: number; next: string | undefined }> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'leases-to-remove',
    text: `
      SELECT l.account_id::text FROM ledger.leases l WHERE l.session_id = $1 AND l.account_id > $2
      ORDER BY l.account_id LIMIT $3`,
    values: [sessionId, after, LEASES_AT_ONCE],
  });
  const accountIds = rows.map((row) => row.account_id);
  if (accountIds.length === 0) return { removed: 0, next: undefined };
  await lockBalances(client, accountIds);
  const { rowCount } = await client.query({
    name: 'remove-leases',
    text: `
      DELETE FROM ledger.leases l
      WHERE l.session_id = $1 AND l.account_id = ANY ($2::uuid[]) AND l.granted = l.spent + l.returned`,
    values: [sessionId, accountIds],
  });
  return { removed: rowCount ?? 0, next: accountIds.at(-1) };
}

/** Removes what reconciliation and the archive keep of the session's leases, and notes that there is no more to do. */
async function finishSession(pool: Pool, sessionId: string): Promise<void> {
  await pool.query({
    name: 'forget-leases-of-session',
    text: `
      WITH sums AS (DELETE FROM ledger.reconciled_leases WHERE session_id = $1),
           carried AS (DELETE FROM ledger.carried_leases WHERE session_id = $1)
      UPDATE ledger.sessions SET leases_gone = true WHERE session_id = $1`,
    values: [sessionId],
  });
}
