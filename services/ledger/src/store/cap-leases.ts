import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import type { Cap } from './caps.ts';
import { OPEN_LEASE_COLUMNS, OPEN_SESSION, type OpenLease, queryOpenLease } from './leases.ts';

export interface CapGrant {
  cap: Cap;
  sessionId: string;
  amount: bigint;
  /** The sequence of the acquire that is granted. */
  sequence: bigint;
}

/** Lends a session a part of a cap. The account's balance must be locked. */
export async function grantCap(client: PoolClient, { cap, sessionId, amount, sequence }: CapGrant): Promise<void> {
  await client.query({
    name: 'grant-cap',
    text: `
      WITH lent AS (
        UPDATE ledger.caps SET leased = leased + $6
        WHERE account_id = $1 AND key_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4
      )
      INSERT INTO ledger.cap_leases AS l
        (account_id, key_id, period, period_start_ms, session_id, granted, acquire_sequence)
      VALUES ($1, $2, $3::ledger.cap_period, $4, $5, $6, $7)
      ON CONFLICT (account_id, key_id, period, period_start_ms, session_id) DO UPDATE
        SET granted = l.granted + excluded.granted, acquire_sequence = excluded.acquire_sequence`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, sessionId, amount, sequence],
  });
}

/** Takes back an unspent part of a cap from a session. The account's balance must be locked. */
export async function returnCapPart(client: PoolClient, cap: Cap, sessionId: string, amount: bigint): Promise<void> {
  await client.query({
    name: 'return-cap',
    text: `
      WITH given AS (
        UPDATE ledger.cap_leases SET returned = returned + $6
        WHERE account_id = $1 AND key_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4
          AND session_id = $5
      )
      UPDATE ledger.caps SET leased = leased - $6
      WHERE account_id = $1 AND key_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, sessionId, amount],
  });
}

/**
 * Frees a session's parts of the caps of these accounts, and deletes them. The session must have ended, and the balances
 * must be locked.
 */
export async function freeCapLeases(client: PoolClient, sessionId: string, accountIds: string[]): Promise<void> {
  await client.query({
    name: 'free-cap-leases',
    text: `
      WITH freed AS (
        DELETE FROM ledger.cap_leases WHERE session_id = $1 AND account_id = ANY ($2::uuid[])
        RETURNING account_id, key_id, period, period_start_ms, granted - spent - returned AS amount
      )
      UPDATE ledger.caps c SET leased = c.leased - f.amount
      FROM freed f
      WHERE c.account_id = f.account_id AND c.key_id = f.key_id AND c.period = f.period
        AND c.period_start_ms = f.period_start_ms AND f.amount > 0`,
    values: [sessionId, accountIds],
  });
}

/** Maximum sessions returned, those with the most credit first. */
const MAX_SESSIONS = 1_000;

/**
 * The live sessions, by their last heartbeat, with an unspent part of a cap, except the given one. A cap has few parts:
 * those of ended sessions are removed.
 */
export async function sessionsWithCap(
  db: Queryable,
  cap: Cap,
  except: string,
  sessionTtlMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'sessions-with-cap',
    text: `
      SELECT l.session_id::text FROM ledger.cap_leases l JOIN ledger.sessions s ON s.session_id = l.session_id
      WHERE l.account_id = $1 AND l.key_id = $2 AND l.period = $3::ledger.cap_period AND l.period_start_ms = $4
        AND l.session_id <> $5 AND l.granted > l.spent + l.returned
        AND s.state = 'open' AND s.epoch = (SELECT epoch FROM ledger.meta)
        AND s.last_heartbeat_at > clock_timestamp() - $6 * interval '1 millisecond'
      ORDER BY l.granted - l.spent - l.returned DESC LIMIT $7`,
    values: [cap.accountId, cap.keyId, cap.period, cap.startMs, except, sessionTtlMs, MAX_SESSIONS],
  });
  return rows.map((row) => row.session_id);
}

/** As readOpenLease, for a cap. */
export function readOpenCapLease(client: PoolClient, sessionId: string, cap: Cap): Promise<OpenLease | undefined> {
  return queryOpenLease(client, {
    name: 'read-open-cap-credit',
    text: `${OPEN_SESSION}
      SELECT ${OPEN_LEASE_COLUMNS} FROM session s
      LEFT JOIN ledger.cap_leases l
        ON l.account_id = $2 AND l.key_id = $3 AND l.period = $4::ledger.cap_period AND l.period_start_ms = $5
          AND l.session_id = s.session_id`,
    values: [sessionId, cap.accountId, cap.keyId, cap.period, cap.startMs],
  });
}
