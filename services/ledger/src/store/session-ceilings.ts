import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from './ceilings.ts';
import { DAY_MS } from './time.ts';

/** Maximum sessions of an account with a ceiling, as clients name them. */
export const MAX_CLIENT_SESSIONS = 100_000;

/** The day (UTC) of a time, both Unix milliseconds. */
function dayOf(nowMs: bigint): bigint {
  return nowMs - (nowMs % BigInt(DAY_MS));
}

/**
 * Creates the ceiling of a session, with nothing spent. An account that has the maximum loses the one that was not used for
 * longest. The account's balance must be locked.
 */
export async function openSessionCeiling(
  client: PoolClient,
  { accountId, nodeId }: Cap,
  { limitNanos, revision, nowMs }: { limitNanos: bigint; revision: bigint; nowMs: bigint },
  max = MAX_CLIENT_SESSIONS,
): Promise<void> {
  await client.query({
    name: 'open-session-ceiling',
    text: `
      WITH longest AS (
        SELECT node_id FROM ledger.ceilings
        WHERE account_id = $1 AND used_day_ms IS NOT NULL AND leased = 0
          AND (SELECT client_sessions FROM ledger.balances WHERE account_id = $1) >= $6
        ORDER BY account_id, used_day_ms LIMIT 1
      ), gone AS (
        DELETE FROM ledger.ceilings WHERE account_id = $1 AND period = 'session' AND node_id = (SELECT node_id FROM longest)
        RETURNING node_id
      ), parts AS (
        DELETE FROM ledger.ceiling_leases
        WHERE account_id = $1 AND period = 'session' AND node_id = (SELECT node_id FROM gone)
      ), opened AS (
        INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent, used_day_ms)
        VALUES ($1, $2, 'session', 0, $3, $4, 0, $5)
      )
      UPDATE ledger.balances SET client_sessions = client_sessions + 1 - (SELECT count(*) FROM gone)::int
      WHERE account_id = $1`,
    values: [accountId, nodeId, limitNanos, revision, dayOf(nowMs), max],
  });
}

/** Notes that a session is used, at most once a day. @param usedDayMs the day that is noted */
export async function useSessionCeiling(
  client: PoolClient,
  { accountId, nodeId }: Cap,
  { usedDayMs, nowMs }: { usedDayMs: bigint; nowMs: bigint },
): Promise<void> {
  const dayMs = dayOf(nowMs);
  if (usedDayMs >= dayMs) return;
  await client.query({
    name: 'use-session-ceiling',
    text: `
      UPDATE ledger.ceilings SET used_day_ms = $3
      WHERE account_id = $1 AND node_id = $2 AND period = 'session' AND period_start_ms = 0`,
    values: [accountId, nodeId, dayMs],
  });
}
