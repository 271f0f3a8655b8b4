import type { PoolClient } from '@tollgate/common/postgres/pool';
import type { Cap } from './ceilings.ts';
import { type CountersRow, countersOf, LEASE_COUNTERS, type LeaseCounters, USABLE_SESSION } from './leases.ts';

/** A cap, and a session's part of it; nano-dollars. */
export interface CapLease extends LeaseCounters {
  cap: Cap;
  /** If not, all its figures are 0. */
  exists: boolean;
  limit: bigint;
  /** The revision of the node that the limit comes from. */
  revision: bigint;
  /** Charged in the period, over all sessions. */
  capSpent: bigint;
  /** Lent to sessions and not spent, over all of them. */
  capLeased: bigint;
  /** Of the ceiling of a client's session: the last day (UTC) of its use, Unix milliseconds; else 0. */
  usedDayMs: bigint;
}

/**
 * Reads caps of an account and a session's parts of them, in this order; undefined when the session may not be used, and
 * otherwise keeps it from ending. The account's balance must be locked, which guards the caps as well.
 */
export async function readCapLeases(
  client: PoolClient,
  accountId: string,
  sessionId: string,
  caps: readonly Cap[],
): Promise<CapLease[] | undefined> {
  const { rows } = await client.query<
    CountersRow & {
      limit_nanos: bigint | null;
      revision: bigint;
      cap_spent: bigint;
      cap_leased: bigint;
      used_day_ms: bigint;
    }
  >({
    // LATERAL … OFFSET 0: as a plain join it could read all ceilings of the account, which may have 100,000 sessions.
    name: 'read-cap-leases',
    text: `${USABLE_SESSION}
      SELECT c.limit_nanos, coalesce(c.revision, 0) AS revision, coalesce(c.spent, 0) AS cap_spent,
             coalesce(c.leased, 0) AS cap_leased, coalesce(c.used_day_ms, 0) AS used_day_ms, ${LEASE_COUNTERS}
      FROM session s
      CROSS JOIN unnest($3::uuid[], $4::ledger.cap_period[], $5::bigint[])
        WITH ORDINALITY AS w (node_id, period, period_start_ms, place)
      LEFT JOIN LATERAL (
        SELECT limit_nanos, revision, spent, leased, used_day_ms FROM ledger.ceilings
        WHERE account_id = $2 AND node_id = w.node_id AND period = w.period AND period_start_ms = w.period_start_ms OFFSET 0
      ) c ON true
      LEFT JOIN ledger.ceiling_leases l
        ON l.account_id = $2 AND l.node_id = w.node_id AND l.period = w.period AND l.period_start_ms = w.period_start_ms
          AND l.session_id = s.session_id
      ORDER BY w.place`,
    values: [sessionId, accountId, ...namesOf(caps)],
  });
  if (rows.length === 0) return undefined;
  return rows.flatMap((row, place) => {
    const cap = caps[place];
    if (cap === undefined) return [];
    const exists = row.limit_nanos !== null;
    const { limit_nanos: limit, revision, cap_spent: capSpent, cap_leased: capLeased, used_day_ms: usedDayMs } = row;
    return [{ cap, exists, limit: limit ?? 0n, revision, capSpent, capLeased, usedDayMs, ...countersOf(row) }];
  });
}

/** Keys, periods and their starts. */
function namesOf(caps: readonly Cap[]): unknown[] {
  return [caps.map((cap) => cap.nodeId), caps.map((cap) => cap.period), caps.map((cap) => cap.startMs)];
}

export interface CapGrants {
  accountId: string;
  sessionId: string;
  grants: readonly { cap: Cap; amount: bigint }[];
  /** The sequence of the acquire that is granted. */
  sequence: bigint;
}

/** Lends a session parts of caps. The account's balance must be locked. */
export async function grantCaps(
  client: PoolClient,
  { accountId, sessionId, grants, sequence }: CapGrants,
): Promise<void> {
  await client.query({
    name: 'grant-caps',
    text: `
      WITH g AS (
        SELECT * FROM unnest($3::uuid[], $4::ledger.cap_period[], $5::bigint[], $6::bigint[])
          AS g (node_id, period, period_start_ms, amount)
      ), lent AS (
        UPDATE ledger.ceilings c SET leased = c.leased + g.amount FROM g
        WHERE c.account_id = $2 AND c.node_id = g.node_id AND c.period = g.period
          AND c.period_start_ms = g.period_start_ms
      )
      INSERT INTO ledger.ceiling_leases AS l
        (account_id, node_id, period, period_start_ms, session_id, granted, acquire_sequence)
      SELECT $2, node_id, period, period_start_ms, $1, amount, $7 FROM g
      ON CONFLICT (account_id, node_id, period, period_start_ms, session_id) DO UPDATE
        SET granted = l.granted + excluded.granted, acquire_sequence = excluded.acquire_sequence`,
    values: [
      sessionId,
      accountId,
      ...namesOf(grants.map(({ cap }) => cap)),
      grants.map(({ amount }) => amount),
      sequence,
    ],
  });
}

/** Takes back an unspent part of a cap from a session. The account's balance must be locked. */
export async function returnCapPart(client: PoolClient, cap: Cap, sessionId: string, amount: bigint): Promise<void> {
  await client.query({
    name: 'return-cap',
    text: `
      WITH given AS (
        UPDATE ledger.ceiling_leases SET returned = returned + $6
        WHERE account_id = $1 AND node_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4
          AND session_id = $5
      )
      UPDATE ledger.ceilings SET leased = leased - $6
      WHERE account_id = $1 AND node_id = $2 AND period = $3::ledger.cap_period AND period_start_ms = $4`,
    values: [cap.accountId, cap.nodeId, cap.period, cap.startMs, sessionId, amount],
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
        DELETE FROM ledger.ceiling_leases WHERE session_id = $1 AND account_id = ANY ($2::uuid[])
        RETURNING account_id, node_id, period, period_start_ms, granted - spent - returned AS amount
      )
      UPDATE ledger.ceilings c SET leased = c.leased - f.amount
      FROM freed f
      WHERE c.account_id = f.account_id AND c.node_id = f.node_id AND c.period = f.period
        AND c.period_start_ms = f.period_start_ms AND f.amount > 0`,
    values: [sessionId, accountIds],
  });
}
