import type { Statement } from '@tollgate/common/postgres/pipeline';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import { arrayText, PairMap } from './batch.ts';
import type { AccountCeiling, Cap } from './ceilings.ts';
import { DATABASE_ID } from './meta.ts';

/** A lease's cumulative counters, nano-dollars. */
export interface LeaseCounters {
  granted: bigint;
  spent: bigint;
  returned: bigint;
  /** The sequence of the last granted acquire. */
  acquireSequence: bigint;
}

/**
 * The session $1, if it may be used: not unknown, ended, or of an older epoch. Keeps it from ending before the transaction: a
 * key-share lock, which does not block heartbeats.
 */
export const USABLE_SESSION = `
  WITH session AS (
    SELECT session_id FROM ledger.sessions
    WHERE session_id = $1 AND state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)
    FOR KEY SHARE
  )`;

/** Counters of a lease, of a balance or a cap, that may not exist. */
export const LEASE_COUNTERS = `coalesce(l.granted, 0) AS granted, coalesce(l.spent, 0) AS spent,
  coalesce(l.returned, 0) AS returned, coalesce(l.acquire_sequence, 0) AS acquire_sequence`;

export interface CountersRow {
  granted: bigint;
  spent: bigint;
  returned: bigint;
  acquire_sequence: bigint;
}

export function countersOf({ granted, spent, returned, acquire_sequence }: CountersRow): LeaseCounters {
  return { granted, spent, returned, acquireSequence: acquire_sequence };
}

/**
 * Reads a session's lease on an account; undefined when the session may not be used, and otherwise keeps it from ending. The
 * account's balance must be locked.
 */
export async function readLease(
  client: PoolClient,
  accountId: string,
  sessionId: string,
): Promise<LeaseCounters | undefined> {
  const { rows } = await client.query<CountersRow>({
    name: 'read-lease',
    text: `${USABLE_SESSION}
      SELECT ${LEASE_COUNTERS} FROM session s
      LEFT JOIN ledger.leases l ON l.account_id = $2 AND l.session_id = s.session_id`,
    values: [sessionId, accountId],
  });
  return rows[0] && countersOf(rows[0]);
}

export interface SessionLease {
  accountId: string;
  granted: bigint;
  spent: bigint;
  returned: bigint;
  available: bigint;
  leased: bigint;
  suspended: boolean;
}

/** A page of a session's leases with their accounts' balances, in order of account, after the given one. */
export async function listLeases(
  db: Queryable,
  sessionId: string,
  after: string,
  limit: number,
): Promise<SessionLease[]> {
  const { rows } = await db.query<{
    account_id: string;
    granted: bigint;
    spent: bigint;
    returned: bigint;
    available: bigint;
    leased: bigint;
    suspended: boolean;
  }>({
    name: 'list-leases',
    text: `
      SELECT l.account_id::text, l.granted, l.spent, l.returned, b.available, b.leased, b.receivable < 0 AS suspended
      FROM ledger.leases l JOIN ledger.balances b ON b.account_id = l.account_id
      WHERE l.session_id = $1 AND l.account_id > $2
      ORDER BY l.account_id LIMIT $3`,
    values: [sessionId, after, limit],
  });
  return rows.map(({ account_id, ...counters }) => ({ accountId: account_id, ...counters }));
}

/** The remaining credit of leases, by account and session. The accounts' balances must be locked. */
export function readRemaining(leases: readonly { accountId: string; sessionId: string }[]): Statement<PairMap<bigint>> {
  return {
    name: 'read-remaining',
    text: `
      SELECT l.account_id, l.session_id, l.granted - l.spent - l.returned
      FROM unnest($1::uuid[], $2::uuid[]) AS w (account_id, session_id)
      JOIN ledger.leases l ON l.account_id = w.account_id AND l.session_id = w.session_id`,
    values: [arrayText(leases.map((lease) => lease.accountId)), arrayText(leases.map((lease) => lease.sessionId))],
    read: (rows) => {
      const remaining = new PairMap<bigint>();
      for (const [accountId, sessionId, nanos] of rows)
        remaining.set(accountId ?? '', sessionId ?? '', BigInt(nanos ?? 0));
      return remaining;
    },
  };
}

export interface Grant {
  accountId: string;
  sessionId: string;
  /** A new UUIDv7. */
  transferId: string;
  amount: bigint;
  /** The sequence of the acquire that is granted. */
  sequence: bigint;
  nowMs: bigint;
}

/** Moves available credit onto a session's lease. The account's balance must be locked. */
export async function grantLease(client: PoolClient, grant: Grant): Promise<void> {
  await client.query({
    name: 'grant-lease',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available - $4, leased = leased + $4 WHERE account_id = $1
      ), lease AS (
        INSERT INTO ledger.leases AS l (account_id, session_id, granted, acquire_sequence) VALUES ($1, $2, $4, $5)
        ON CONFLICT (account_id, session_id) DO UPDATE
          SET granted = l.granted + excluded.granted, acquire_sequence = excluded.acquire_sequence
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      VALUES ($1, $3, 'available', 'leased', $4, 'lease_grant', $2, $6)`,
    values: [grant.accountId, grant.sessionId, grant.transferId, grant.amount, grant.sequence, grant.nowMs],
  });
}

export interface LeaseReturn {
  accountId: string;
  sessionId: string;
  /** A new UUIDv7. */
  transferId: string;
  amount: bigint;
  nowMs: bigint;
}

/** Moves unspent credit of a session's lease back to the available balance, which must be locked. */
export async function returnLease(client: PoolClient, given: LeaseReturn): Promise<void> {
  await client.query({
    name: 'return-lease',
    text: `
      WITH moved AS (
        UPDATE ledger.balances SET available = available + $4, leased = leased - $4 WHERE account_id = $1
      ), lease AS (
        UPDATE ledger.leases SET returned = returned + $4 WHERE account_id = $1 AND session_id = $2
      )
      INSERT INTO ledger.transfers
        (account_id, transfer_id, debit, credit, amount, reason, reference, created_at_ms)
      VALUES ($1, $3, 'leased', 'available', $4, 'lease_return', $2, $5)`,
    values: [given.accountId, given.sessionId, given.transferId, given.amount, given.nowMs],
  });
}

/** What a batch takes from one lease. */
export interface LeaseSpending {
  accountId: string;
  sessionId: string;
  amount: bigint;
}

/** Counts settled charges on their leases. The accounts' balances must be locked. */
export function spendLeases(spendings: readonly LeaseSpending[]): Statement<void> {
  return {
    name: 'spend-leases',
    text: `
      UPDATE ledger.leases l SET spent = l.spent + d.amount
      FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS d (account_id, session_id, amount)
      WHERE l.account_id = d.account_id AND l.session_id = d.session_id`,
    values: [
      arrayText(spendings.map((spending) => spending.accountId)),
      arrayText(spendings.map((spending) => spending.sessionId)),
      arrayText(spendings.map((spending) => spending.amount)),
    ],
    read: () => undefined,
  };
}

/** A page of the accounts on which a session has remaining credit or a part of a cap, in order. */
export async function accountsWithCredit(
  client: PoolClient,
  sessionId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'accounts-with-credit',
    text: `
      SELECT account_id::text FROM (
        (SELECT account_id FROM ledger.leases
         WHERE session_id = $1 AND account_id > $2 AND granted > spent + returned
         ORDER BY account_id LIMIT $3)
        UNION
        (SELECT DISTINCT account_id FROM ledger.ceiling_leases
         WHERE session_id = $1 AND account_id > $2
         ORDER BY account_id LIMIT $3)
      ) AS accounts
      ORDER BY accounts.account_id LIMIT $3`,
    values: [sessionId, after, limit],
  });
  return rows.map((row) => row.account_id);
}

/**
 * Frees the remaining credit of a session's leases on these accounts. The session must have ended, and the balances must be
 * locked.
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

/** Maximum sessions returned, those with the most credit first. */
const MAX_SESSIONS = 1_000;

/** The parameters that name a cap; nulls name the balance. */
function capValues(cap: Cap | undefined): unknown[] {
  return cap === undefined ? [null, null, null] : [cap.nodeId, cap.period, cap.startMs];
}

/** Leases of the session s of the ceiling $2 to $5. */
const CEILING_LEASE = `
  SELECT granted, spent, returned FROM ledger.leases
  WHERE $3::uuid IS NULL AND account_id = $2 AND session_id = s.session_id
  UNION ALL
  SELECT granted, spent, returned FROM ledger.ceiling_leases
  WHERE account_id = $2 AND node_id = $3::uuid AND period = $4::ledger.cap_period AND period_start_ms = $5::bigint
    AND session_id = s.session_id`;

/**
 * The live sessions, by their last heartbeat, with remaining credit of a ceiling. Reads the few open sessions and looks up
 * the lease of each, because leases of ended sessions are kept.
 *
 * @param except a session to leave out; undefined: none
 */
export async function sessionsWithCredit(
  db: Queryable,
  { accountId, cap }: AccountCeiling,
  except: string | undefined,
  sessionTtlMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>({
    name: 'sessions-with-credit',
    text: `
      WITH live AS MATERIALIZED (
        SELECT session_id FROM ledger.sessions
        WHERE state = 'open' AND epoch = (SELECT epoch FROM ledger.meta)
          AND last_heartbeat_at > clock_timestamp() - $6 * interval '1 millisecond'
          AND session_id IS DISTINCT FROM $1
      )
      SELECT s.session_id::text FROM live s CROSS JOIN LATERAL (${CEILING_LEASE}) l
      WHERE l.granted > l.spent + l.returned
      ORDER BY l.granted - l.spent - l.returned DESC LIMIT $7`,
    values: [except ?? null, accountId, ...capValues(cap), sessionTtlMs, MAX_SESSIONS],
  });
  return rows.map((row) => row.session_id);
}

/** What an open session has left of a lease. */
export interface OpenLease {
  databaseId: string;
  remainingNanos: bigint;
}

/**
 * Reads what an open session, which may be of an older epoch, has left of a ceiling; undefined if it is not open. Keeps it
 * from ending. The balance must be locked.
 */
export async function readOpenLease(
  client: PoolClient,
  sessionId: string,
  { accountId, cap }: AccountCeiling,
): Promise<OpenLease | undefined> {
  const { rows } = await client.query<{ database_id: string; remaining: bigint }>({
    name: 'read-open-lease',
    text: `
      WITH session AS (
        SELECT session_id FROM ledger.sessions WHERE session_id = $1 AND state = 'open' FOR KEY SHARE
      )
      SELECT ${DATABASE_ID} AS database_id, coalesce(l.granted - l.spent - l.returned, 0) AS remaining
      FROM session s LEFT JOIN LATERAL (${CEILING_LEASE}) l ON true`,
    values: [sessionId, accountId, ...capValues(cap)],
  });
  const row = rows[0];
  return row && { databaseId: row.database_id, remainingNanos: row.remaining };
}

/** A page of the accounts that a session has a lease on, in order, after the given one. */
export async function accountsWithLease(
  client: PoolClient,
  sessionId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'leases-to-remove',
    text: `
      SELECT l.account_id::text FROM ledger.leases l WHERE l.session_id = $1 AND l.account_id > $2
      ORDER BY l.account_id LIMIT $3`,
    values: [sessionId, after, limit],
  });
  return rows.map((row) => row.account_id);
}

/**
 * Removes a session's leases on these accounts that have no credit left. The balances must be locked.
 *
 * @returns how many were removed
 */
export async function removeLeases(client: PoolClient, sessionId: string, accountIds: string[]): Promise<number> {
  const { rowCount } = await client.query({
    name: 'remove-leases',
    text: `
      DELETE FROM ledger.leases l
      WHERE l.session_id = $1 AND l.account_id = ANY ($2::uuid[]) AND l.granted = l.spent + l.returned`,
    values: [sessionId, accountIds],
  });
  return rowCount ?? 0;
}
