import { CAP_PERIODS, type CeilingPeriodLabel, periodEnd, periodStart } from '@tollgate/common/cap-periods';
import type { PoolClient, Queryable } from '@tollgate/common/postgres/pool';
import type { CapPeriod, Charge, HeldNode } from '@tollgate/proto/ledger';
import type { KeyPlace } from './usage.ts';

/** One cap of a node, a key or one above or below keys, in one period. */
export interface Cap {
  accountId: string;
  nodeId: string;
  period: CeilingPeriodLabel;
  /** Unix milliseconds; 0 for total, and for a session. */
  startMs: number;
}

/** A ceiling of an account: one of its caps, or, without a cap, its balance. */
export interface AccountCeiling {
  accountId: string;
  cap: Cap | undefined;
}

/** The caps that a node may have at a time, Unix milliseconds. */
export function capsAt(accountId: string, { nodeId, scope }: Pick<HeldNode, 'nodeId' | 'scope'>, atMs: number): Cap[] {
  const periods = scope === SESSION_SCOPE ? (['session'] as const) : CAP_PERIODS;
  return periods.map((period) => ({ accountId, nodeId, period, startMs: periodStart(period, atMs) }));
}

/** The scope of projects. */
const PROJECT_SCOPE = 'project';

/** The scope of keys. */
export const KEY_SCOPE = 'key';

/** The scope of sessions as clients name them, which are below keys. */
export const SESSION_SCOPE = 'session';

/** The nodes that have roll-ups: all but sessions. */
export function countedNodes({ nodes }: Pick<Charge, 'nodes'>): HeldNode[] {
  return nodes.filter(({ scope }) => scope !== SESSION_SCOPE);
}

/** Where the key of a charge was. */
export function placeOf({ nodes }: Pick<Charge, 'nodes'>): KeyPlace {
  const place: KeyPlace = { projectId: undefined, ownerId: undefined, rootKeyId: undefined };
  for (const { scope, nodeId } of nodes) {
    if (scope === PROJECT_SCOPE) place.projectId ??= nodeId;
    else if (scope === KEY_SCOPE) place.rootKeyId ??= nodeId;
    else if (scope !== SESSION_SCOPE) place.ownerId = nodeId;
  }
  return place;
}

/** The nodes that a request passes, the key last. @param caps the key's caps that it was held under */
export function pathOf(
  { keyId, keyName, nodes }: Pick<Charge, 'keyId' | 'keyName' | 'nodes'>,
  caps: readonly CapPeriod[] = [],
): Readonly<HeldNode>[] {
  return [...nodes, { nodeId: keyId, scope: KEY_SCOPE, name: keyName, caps: [...caps] }];
}

/** A cap with the name that its node had, and what it is: `key`, or another scope such as `project` or `session`. */
export interface NamedCap extends Cap {
  scope: string;
  name: string;
}

/** The key of a cap in maps. */
export function capKey({ accountId, nodeId, period, startMs }: Cap): string {
  return `${accountId}/${nodeId}/${period}/${startMs}`;
}

/** The parts of a limit whose spending an event reports, in percent. */
export const ALERT_PERCENTS = [50, 75, 90, 100] as const;
export type AlertPercent = (typeof ALERT_PERCENTS)[number];

/** So many percent of the limit, in SQL: what is not of it is subtracted, so that no product overflows. */
export function part(percent: 50 | 75 | 80 | 90, limit = 'c.limit_nanos'): string {
  return `(${limit} - ${limit} / ${100 / (100 - percent)})`;
}

/** The largest part of a limit below all of it that is spent and that events report, in percent; 0: none. */
function spentPercent(limit: string): string {
  return `CASE WHEN c.spent >= ${part(90, limit)} THEN 90 WHEN c.spent >= ${part(75, limit)} THEN 75
    WHEN c.spent >= ${part(50, limit)} THEN 50 ELSE 0 END`;
}

/** What a cap has to have spent before requests that it refuses are reported: less may be left than any request needs. */
const MOSTLY = part(80);

/** A cap whose spending reached a part of its limit that no event had reported. */
export interface CrossedCap extends Cap {
  percent: AlertPercent;
  limitNanos: bigint;
  spentNanos: bigint;
}

/**
 * Notes the part of their limits that these caps have reached. Their balances are locked.
 *
 * @param refused whether requests are refused because of them, so that what is left counts for nothing
 * @returns those that had not reached it before
 */
export async function crossCaps(client: PoolClient, caps: readonly Cap[], refused: boolean): Promise<CrossedCap[]> {
  const { rows } = await client.query<{
    account_id: string;
    node_id: string;
    period: CeilingPeriodLabel;
    start_ms: bigint;
    percent: AlertPercent;
    limit_nanos: bigint;
    spent: bigint;
  }>({
    name: 'cross-caps',
    text: `
      WITH reached AS (
        SELECT c.account_id, c.node_id, c.period, c.period_start_ms,
               CASE WHEN c.spent >= ${MOSTLY} AND ($5 OR c.spent >= c.limit_nanos) THEN 100
                 ELSE ${spentPercent('c.limit_nanos')} END AS percent
        FROM unnest($1::uuid[], $2::uuid[], $3::ledger.cap_period[], $4::bigint[])
          AS w (account_id, node_id, period, period_start_ms)
        JOIN ledger.ceilings c USING (account_id, node_id, period, period_start_ms)
      )
      UPDATE ledger.ceilings c SET alerted_percent = r.percent
      FROM reached r
      WHERE c.account_id = r.account_id AND c.node_id = r.node_id AND c.period = r.period
        AND c.period_start_ms = r.period_start_ms AND c.alerted_percent < r.percent
      RETURNING c.account_id::text, c.node_id::text, c.period, c.period_start_ms AS start_ms, r.percent, c.limit_nanos,
        c.spent`,
    values: [
      caps.map((cap) => cap.accountId),
      caps.map((cap) => cap.nodeId),
      caps.map((cap) => cap.period),
      caps.map((cap) => cap.startMs),
      refused,
    ],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    nodeId: row.node_id,
    period: row.period,
    startMs: Number(row.start_ms),
    percent: row.percent,
    limitNanos: row.limit_nanos,
    spentNanos: row.spent,
  }));
}

/** A cap that may refuse requests of a key: its own, or of a node above it. */
export interface CapOfKey extends Cap {
  keyId: string;
}

/**
 * Of these caps, the one of each key with the least left, which refuses its requests. Only caps that are mostly spent and whose
 * end no event has reported: a request may also be too large for a cap that is hardly spent.
 */
export async function readRefusingCaps(db: Queryable, caps: readonly CapOfKey[]): Promise<Cap[]> {
  const { rows } = await db.query<{
    account_id: string;
    node_id: string;
    period: CeilingPeriodLabel;
    start_ms: bigint;
  }>({
    name: 'read-refusing-caps',
    text: `
      SELECT DISTINCT account_id::text, node_id::text, period, period_start_ms AS start_ms
      FROM (
        SELECT DISTINCT ON (c.account_id, w.key_id) c.*
        FROM unnest($1::uuid[], $2::uuid[], $3::ledger.cap_period[], $4::bigint[], $5::uuid[])
          AS w (account_id, node_id, period, period_start_ms, key_id)
        JOIN ledger.ceilings c USING (account_id, node_id, period, period_start_ms)
        WHERE c.limit_nanos > 0
        ORDER BY c.account_id, w.key_id, c.limit_nanos - c.spent
      ) c
      WHERE spent >= ${MOSTLY} AND alerted_percent < 100`,
    values: [
      caps.map((cap) => cap.accountId),
      caps.map((cap) => cap.nodeId),
      caps.map((cap) => cap.period),
      caps.map((cap) => cap.startMs),
      caps.map((cap) => cap.keyId),
    ],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    nodeId: row.node_id,
    period: row.period,
    startMs: Number(row.start_ms),
  }));
}

/** A cap's limit, and the revision of the node it comes from. */
export interface CapLimit {
  limitNanos: bigint;
  revision: bigint;
}

/**
 * Creates a cap or changes its limit. A new cap starts with the amount charged in its period so far. The account's balance
 * must be locked, so that no charge is posted in the meantime.
 *
 * @returns what was charged in the period, nano-dollars
 */
export async function writeCap(client: PoolClient, cap: Cap, { limitNanos, revision }: CapLimit): Promise<bigint> {
  const { rows } = await client.query<{ spent: bigint }>({
    name: 'write-cap',
    text: `
      INSERT INTO ledger.ceilings AS c (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent)
      SELECT $1, $2, $3::ledger.cap_period, $4, $5, $6, coalesce(sum(charged_nanos), 0)::bigint
      FROM (
        SELECT charged_nanos FROM ledger.usage_daily
        WHERE account_id = $1 AND key_id = $2 AND start_ms >= $4 AND start_ms < $7
        UNION ALL
        SELECT charged_nanos FROM ledger.node_usage
        WHERE account_id = $1 AND node_id = $2 AND day_ms >= $4 AND day_ms < $7
      ) u
      ON CONFLICT (account_id, node_id, period, period_start_ms) DO UPDATE
        SET limit_nanos = excluded.limit_nanos, revision = excluded.revision, alerted_percent = CASE
          WHEN c.limit_nanos = excluded.limit_nanos THEN c.alerted_percent
          -- Whoever sets a limit sees what is spent: only what comes later is reported.
          ELSE ${spentPercent('excluded.limit_nanos')} END
      RETURNING c.spent`,
    values: [
      cap.accountId,
      cap.nodeId,
      cap.period,
      cap.startMs,
      limitNanos,
      revision,
      periodEnd(cap.period, cap.startMs) ?? Number.MAX_SAFE_INTEGER,
    ],
  });
  const row = rows[0];
  if (row === undefined) throw new Error('a written cap was not returned');
  return row.spent;
}

/** Before which starts the caps of days, weeks and months are old, and before which last day sessions are; Unix milliseconds. */
export interface OldStarts {
  dayMs: number;
  weekMs: number;
  monthMs: number;
  sessionMs: number;
}

/** Some of the accounts with old caps. */
export async function accountsWithOldCaps(client: PoolClient, old: OldStarts, limit: number): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string }>({
    name: 'accounts-with-old-caps',
    text: `
      (SELECT account_id::text FROM ledger.ceilings WHERE period = 'day' AND period_start_ms < $1
       ORDER BY period_start_ms LIMIT $4)
      UNION
      (SELECT account_id::text FROM ledger.ceilings WHERE period = 'week' AND period_start_ms < $2
       ORDER BY period_start_ms LIMIT $4)
      UNION
      (SELECT account_id::text FROM ledger.ceilings WHERE period = 'month' AND period_start_ms < $3
       ORDER BY period_start_ms LIMIT $4)
      UNION
      (SELECT account_id::text FROM ledger.ceilings WHERE used_day_ms < $5 AND leased = 0
       ORDER BY used_day_ms LIMIT $4)
      LIMIT $4`,
    values: [old.dayMs, old.weekMs, old.monthMs, limit, old.sessionMs],
  });
  return rows.map((row) => row.account_id);
}

/**
 * Removes the old caps of these accounts, with the parts that ingresses had of them. The balances must be locked.
 *
 * @returns how many caps were removed
 */
export async function removeCaps(client: PoolClient, accountIds: string[], old: OldStarts): Promise<number> {
  const { rows } = await client.query<{ removed: bigint }>({
    name: 'remove-caps',
    text: `
      WITH removed AS (
        DELETE FROM ledger.ceilings
        WHERE account_id = ANY ($1::uuid[])
          AND ((period = 'day' AND period_start_ms < $2) OR (period = 'week' AND period_start_ms < $3)
            OR (period = 'month' AND period_start_ms < $4) OR (used_day_ms < $5 AND leased = 0))
        RETURNING account_id, node_id, period, period_start_ms, used_day_ms
      ), sessions AS (
        UPDATE ledger.balances b SET client_sessions = client_sessions - r.count
        FROM (SELECT account_id, count(used_day_ms) FROM removed GROUP BY 1) r
        WHERE b.account_id = r.account_id AND r.count > 0
      ), parts AS (
        DELETE FROM ledger.ceiling_leases l USING removed r
        WHERE l.account_id = r.account_id AND l.node_id = r.node_id AND l.period = r.period
          AND l.period_start_ms = r.period_start_ms
      )
      SELECT count(*) AS removed FROM removed`,
    values: [accountIds, old.dayMs, old.weekMs, old.monthMs, old.sessionMs],
  });
  return Number(rows[0]?.removed ?? 0);
}
