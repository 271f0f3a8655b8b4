import { HOUR_MS } from '../store/time.ts';
import { USAGE_BUCKETS } from '../store/usage.ts';

/** The ledger accounts of the double entry (the SQL type ledger.side), which are columns of balances and reconciled. */
export const LEDGER_ACCOUNTS = [
  'available',
  'leased',
  'revenue',
  'deposits',
  'adjustments',
  'receivable',
  'operator_loss',
] as const;

/** SQL: columns that sum a relation of (side, amount) by side. */
export const SUMS_BY_LEDGER_ACCOUNT = LEDGER_ACCOUNTS.map(
  (side) => `coalesce(sum(amount) FILTER (WHERE side = '${side}'), 0) AS ${side}`,
).join(', ');

/** SQL: the rows (side, amount) of an alias that has a column for each side. */
export function ledgerAccountsOf(alias: string): string {
  return `(VALUES ${LEDGER_ACCOUNTS.map((side) => `('${side}'::ledger.side, ${alias}.${side})`).join(', ')})`;
}

/** Later than any entry. */
const FOREVER_MS = '9223372036854775807';

/**
 * SQL: `charged` and `moved`, the sums of charges and transfers posted after $1 up to and including $2. A condition on their
 * ids would exclude old partitions, but make the planner use the keys instead of the small indexes by time.
 */
export const MOVEMENTS = `
  charged AS MATERIALIZED (
    SELECT account_id, session_id, started_at_ms - started_at_ms % ${HOUR_MS} AS hour_ms, count(*) AS entries,
           sum(charged_nanos) AS charged, sum(cost_nanos) AS cost
    FROM ledger.charges WHERE settled_at_ms > $1 AND settled_at_ms <= $2
    GROUP BY 1, 2, 3
  ),
  moved AS MATERIALIZED (
    SELECT account_id, debit, credit, reason, count(*) AS entries, sum(amount) AS amount,
           CASE WHEN reason IN ('lease_grant', 'lease_return', 'lease_freed') THEN reference END AS session_id
    FROM ledger.transfers WHERE created_at_ms > $1 AND created_at_ms <= $2
    GROUP BY account_id, debit, credit, reason, session_id
  )`;

/** SQL: rows (account_id, side, amount) of those sums. */
export const MOVED_BY_LEDGER_ACCOUNT = `
  SELECT account_id, debit AS side, -amount AS amount FROM moved
  UNION ALL SELECT account_id, credit, amount FROM moved
  UNION ALL SELECT account_id, 'leased', -charged FROM charged
  UNION ALL SELECT account_id, 'operator_loss', charged - cost FROM charged
  UNION ALL SELECT account_id, 'revenue', cost FROM charged`;

/** SQL: rows (account_id, session_id, granted, spent, returned) of those sums. */
export const MOVED_LEASES = `
  SELECT account_id, session_id, 0 AS granted, charged AS spent, 0 AS returned FROM charged
  UNION ALL
  SELECT account_id, session_id, CASE reason WHEN 'lease_grant' THEN amount ELSE 0 END, 0,
         CASE reason WHEN 'lease_grant' THEN 0 ELSE amount END
  FROM moved WHERE session_id IS NOT NULL`;

/** The values of $1 and $2; without an end by default. */
export function movementsBetween(afterMs: number, upToMs: number | undefined): (string | number)[] {
  return [afterMs, upToMs ?? FOREVER_MS];
}

const ROLL_UP_SUMS = ['requests', 'charged_nanos', 'cost_nanos', ...USAGE_BUCKETS];

/** SQL: the sums of a roll-up, from rows of ledger.charges named c. */
export const SUMS_OF_CHARGES = [
  'count(*) AS requests',
  'sum(c.charged_nanos) AS charged_nanos',
  'sum(c.cost_nanos) AS cost_nanos',
  ...USAGE_BUCKETS.map((bucket) => `coalesce(sum(line.${bucket}), 0) AS ${bucket}`),
].join(', ');

/** SQL: the quantities of one charge, c, by bucket. */
export const QUANTITIES = `
  LATERAL (
    SELECT ${USAGE_BUCKETS.map(
      (bucket) => `sum((line ->> 1)::bigint) FILTER (WHERE line ->> 0 = '${bucket}') AS ${bucket}`,
    ).join(', ')}
    FROM jsonb_array_elements(c.lines) line
  ) line`;

/** SQL: the columns of a finding about a roll-up, from its expected (e) and its stored values (u). */
export function rollUpFinding(table: string): string {
  const object = (alias: string) =>
    `jsonb_build_object(${ROLL_UP_SUMS.map((name) => `'${name}', ${alias}.${name}`).join(', ')})`;
  return `
    account_id::text,
    jsonb_build_object('table', '${table}', 'account_id', account_id, 'start_ms', start_ms, 'key_id', key_id,
                       'model', model)::text AS place,
    CASE WHEN e.requests IS NOT NULL THEN ${object('e')} END::text AS expected,
    CASE WHEN u.requests IS NOT NULL THEN ${object('u')} END::text AS found`;
}

/** SQL: whether e and u differ. */
export const ROLL_UP_DIFFERS = `
  (${ROLL_UP_SUMS.map((name) => `e.${name}`).join(', ')}) IS DISTINCT FROM (${ROLL_UP_SUMS.map((name) => `u.${name}`).join(', ')})`;

/** SQL: sums of the hourly roll-up, from rows of it named h. */
export const SUMS_OF_HOURS = ROLL_UP_SUMS.map((name) => `sum(h.${name}) AS ${name}`).join(', ');

/** SQL: whether none of an hour's charges are archived. */
export function isKept(startMs: string): string {
  return `${startMs} >= (SELECT archived_until_ms + CASE archived_until_ms WHEN 0 THEN 0 ELSE ${HOUR_MS} END
                         FROM ledger.reconciliation)`;
}

/**
 * SQL: caps whose lent amount differs from what remains on their leases, or whose spent amount differs from what their key
 * was charged in their period by the daily roll-up. Of the accounts selected by the condition.
 */
export function inconsistentCaps(condition: string): string {
  return `
    SELECT account_id::text,
           jsonb_build_object('table', 'caps', 'account_id', account_id, 'key_id', key_id, 'period', period,
                              'period_start_ms', period_start_ms)::text AS place,
           jsonb_build_object('leased', coalesce(l.remaining, 0), 'spent', charged.nanos)::text AS expected,
           CASE WHEN c.leased IS NOT NULL THEN
             jsonb_build_object('leased', c.leased, 'spent', c.spent) END::text AS found
    FROM (
      SELECT account_id, key_id, period, period_start_ms, sum(granted - spent - returned) AS remaining
      FROM ledger.cap_leases WHERE ${condition} GROUP BY 1, 2, 3, 4
    ) l
    FULL JOIN (SELECT * FROM ledger.caps WHERE ${condition}) c USING (account_id, key_id, period, period_start_ms)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(u.charged_nanos), 0) AS nanos FROM ledger.usage_daily u
      WHERE u.account_id = coalesce(l.account_id, c.account_id) AND u.key_id = coalesce(l.key_id, c.key_id)
        AND u.start_ms >= period_start_ms
        AND (period = 'total' OR u.start_ms < extract(epoch FROM
              to_timestamp(period_start_ms / 1000) AT TIME ZONE 'UTC'
              + CASE period WHEN 'day' THEN interval '1 day' ELSE interval '1 month' END) * 1000)
    ) charged
    WHERE c.leased IS DISTINCT FROM coalesce(l.remaining, 0) OR c.spent IS DISTINCT FROM charged.nanos`;
}

/** SQL: negative balances, of the accounts selected by the condition on b. */
export function negativeBalances(condition: string): string {
  return `
    SELECT b.account_id::text, jsonb_build_object('table', 'balances', 'account_id', b.account_id)::text AS place,
           NULL AS expected,
           jsonb_build_object(${LEDGER_ACCOUNTS.map((side) => `'${side}', b.${side}`).join(', ')})::text AS found
    FROM ledger.balances b
    WHERE ${condition} AND (b.available < 0 OR b.leased < 0 OR b.revenue < 0 OR b.receivable > 0 OR b.operator_loss > 0)`;
}

/** SQL: leases with negative remaining credit, of the accounts selected by the condition on l. */
export function negativeLeases(condition: string): string {
  return `
    SELECT l.account_id::text,
           jsonb_build_object('table', 'leases', 'account_id', l.account_id, 'session_id', l.session_id)::text AS place,
           NULL AS expected,
           jsonb_build_object('granted', l.granted, 'spent', l.spent, 'returned', l.returned)::text AS found
    FROM ledger.leases l
    WHERE ${condition} AND (l.granted < l.spent + l.returned OR l.spent < 0 OR l.returned < 0)`;
}

/** SQL: charges whose lines do not add up to their cost, of the rows selected by the condition. */
export function inconsistentLines(condition: string): string {
  const sum = '(SELECT coalesce(sum((line ->> 3)::bigint), 0) FROM jsonb_array_elements(lines) line)';
  return `
    SELECT account_id::text,
           jsonb_build_object('table', 'charges', 'account_id', account_id, 'request_id', request_id)::text AS place,
           ${sum}::text AS expected, cost_nanos::text AS found
    FROM ledger.charges
    WHERE ${condition} AND cost_nanos <> ${sum}`;
}

/** SQL: deposits whose amount differs from the sum of their transfers, of the rows selected by each condition. */
export function inconsistentDeposits(transfers: string, deposits: string): string {
  return `
    SELECT account_id::text,
           jsonb_build_object('table', 'deposits', 'account_id', account_id, 'deposit_id', deposit_id)::text AS place,
           coalesce(t.amount, 0)::text AS expected, d.amount_nanos::text AS found
    FROM (
      SELECT account_id, reference AS deposit_id,
             sum(CASE WHEN debit IN ('deposits', 'adjustments') THEN amount ELSE 0 END
               - CASE WHEN credit IN ('deposits', 'adjustments') THEN amount ELSE 0 END) AS amount
      FROM ledger.transfers
      WHERE ${transfers} AND (debit IN ('deposits', 'adjustments') OR credit IN ('deposits', 'adjustments'))
      GROUP BY 1, 2
    ) t
    FULL JOIN (SELECT account_id, deposit_id, amount_nanos FROM ledger.deposits WHERE ${deposits}) d
      USING (account_id, deposit_id)
    WHERE d.amount_nanos IS DISTINCT FROM coalesce(t.amount, 0)`;
}
