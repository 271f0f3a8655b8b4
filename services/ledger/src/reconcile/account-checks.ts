import type { Queryable } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from '../store/findings.ts';
import type { Slice } from '../store/reconciliation.ts';
import { DAY_MS } from '../store/time.ts';
import { MOVED, type Movements } from './movements.ts';
import { ROLL_UP_DIFFERS, rollUpFinding, SUMS_OF_HOURS } from './roll-up-sums.ts';

/** The ledger accounts of the double entry (the SQL type ledger.side), which are columns of balances. */
const LEDGER_ACCOUNTS = [
  'available',
  'leased',
  'revenue',
  'deposits',
  'adjustments',
  'receivable',
  'operator_loss',
  'breakage',
];

const MAX_BIGINT = '9223372036854775807';

const IN_RANGE = 'account_id >= $1 AND account_id < $2';

interface Check {
  invariant: Invariant;
  sql: string;
}

/** Statements with the movements of the accounts as parameters $4 to $9. Each selects rows of FindingRow. */
const MOVEMENT_CHECKS: readonly Check[] = [
  {
    // Each charge moves its cost to revenue, from the lease and from the operator.
    invariant: 'balance_equals_entries',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'balances', 'account_id', account_id, 'column', side)::text AS place,
             coalesce(e.amount, 0)::text AS expected, b.amount::text AS found
      FROM (
        SELECT account_id, side, sum(amount) AS amount FROM (
          SELECT account_id, debit AS side, -amount AS amount FROM ${MOVED} WHERE debit IS NOT NULL
          UNION ALL
          SELECT account_id, credit, amount FROM ${MOVED} WHERE credit IS NOT NULL
          UNION ALL
          SELECT account_id, s.side, s.amount
          FROM (
            SELECT account_id, sum(charged_nanos) AS charged, sum(cost_nanos) AS cost
            FROM ledger.usage_daily WHERE ${IN_RANGE} GROUP BY 1
          ) u
          CROSS JOIN LATERAL (
            VALUES ('leased'::ledger.side, -charged), ('operator_loss', charged - cost), ('revenue', cost)
          ) AS s (side, amount)
        ) entry
        GROUP BY 1, 2
      ) e
      FULL JOIN (
        SELECT account_id, s.side, s.amount FROM ledger.balances b
        CROSS JOIN LATERAL (
          VALUES ${LEDGER_ACCOUNTS.map((side) => `('${side}'::ledger.side, b.${side})`).join(', ')}
        ) AS s (side, amount)
        WHERE ${IN_RANGE}
      ) b USING (account_id, side)
      WHERE coalesce(e.amount, 0) IS DISTINCT FROM b.amount
      LIMIT $3`,
  },
  {
    invariant: 'lease_equals_entries',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'leases', 'account_id', account_id, 'session_id', session_id)::text AS place,
             jsonb_build_object('granted', coalesce(e.granted, 0), 'spent', coalesce(e.spent, 0),
                                'returned', coalesce(e.returned, 0))::text AS expected,
             CASE WHEN l.granted IS NOT NULL THEN
               jsonb_build_object('granted', l.granted, 'spent', l.spent, 'returned', l.returned) END::text AS found
      FROM (
        SELECT account_id, session_id, sum(amount) FILTER (WHERE counter = 'granted') AS granted,
               sum(amount) FILTER (WHERE counter = 'spent') AS spent,
               sum(amount) FILTER (WHERE counter = 'returned') AS returned
        FROM ${MOVED} WHERE session_id IS NOT NULL GROUP BY 1, 2
      ) e
      FULL JOIN (SELECT * FROM ledger.leases WHERE ${IN_RANGE}) l USING (account_id, session_id)
      WHERE (coalesce(e.granted, 0), coalesce(e.spent, 0), coalesce(e.returned, 0))
              IS DISTINCT FROM (coalesce(l.granted, 0), coalesce(l.spent, 0), coalesce(l.returned, 0))
        AND NOT EXISTS (
          SELECT FROM ledger.sessions s
          WHERE s.session_id = coalesce(e.session_id, l.session_id) AND s.leases_removed)
      LIMIT $3`,
  },
];

/** Statements with the accounts from $1 to before $2 as parameters. Each selects rows of FindingRow. */
const ROW_CHECKS: readonly Check[] = [
  {
    invariant: 'leased_equals_leases',
    sql: `
      SELECT b.account_id::text,
             jsonb_build_object('table', 'balances', 'account_id', b.account_id, 'column', 'leased')::text AS place,
             l.remaining::text AS expected, b.leased::text AS found
      FROM ledger.balances b
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(granted - spent - returned), 0) AS remaining
        FROM ledger.leases l WHERE l.account_id = b.account_id
      ) l
      WHERE ${IN_RANGE} AND b.leased <> l.remaining`,
  },
  {
    invariant: 'cap_equals_charges',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'ceilings', 'account_id', account_id, 'node_id', node_id, 'period', period,
                                'period_start_ms', period_start_ms)::text AS place,
             jsonb_build_object('leased', coalesce(l.remaining, 0), 'spent',
                                CASE period WHEN 'session' THEN c.spent ELSE charged.nanos END)::text AS expected,
             CASE WHEN c.leased IS NOT NULL THEN
               jsonb_build_object('leased', c.leased, 'spent', c.spent) END::text AS found
      FROM (
        SELECT account_id, node_id, period, period_start_ms, sum(granted - spent - returned) AS remaining
        FROM ledger.ceiling_leases WHERE ${IN_RANGE} GROUP BY 1, 2, 3, 4
      ) l
      FULL JOIN (SELECT * FROM ledger.ceilings WHERE ${IN_RANGE}) c USING (account_id, node_id, period, period_start_ms)
      CROSS JOIN LATERAL (
        SELECT CASE WHEN period IN ('total', 'session') THEN ${MAX_BIGINT} ELSE 1000 * extract(epoch FROM
                 to_timestamp(period_start_ms / 1000) AT TIME ZONE 'UTC'
                 + CASE period WHEN 'day' THEN interval '1 day' WHEN 'week' THEN interval '7 days' ELSE interval '1 month' END
               )::bigint END AS end_ms
      ) ends
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(charged_nanos), 0) AS nanos FROM (
          SELECT charged_nanos FROM ledger.usage_daily u
          WHERE u.account_id = coalesce(l.account_id, c.account_id) AND u.key_id = coalesce(l.node_id, c.node_id)
            AND u.start_ms >= period_start_ms AND u.start_ms < end_ms
          UNION ALL
          SELECT charged_nanos FROM ledger.node_usage u
          WHERE u.account_id = coalesce(l.account_id, c.account_id) AND u.node_id = coalesce(l.node_id, c.node_id)
            AND u.day_ms >= period_start_ms AND u.day_ms < end_ms
        ) days
      ) charged
      WHERE c.leased IS DISTINCT FROM coalesce(l.remaining, 0) OR c.spent IS DISTINCT FROM
        -- Of sessions there are no roll-ups.
        CASE period WHEN 'session' THEN c.spent ELSE charged.nanos END`,
  },
  {
    invariant: 'roll_up_equals_charges',
    sql: `
      SELECT ${rollUpFinding('usage_daily')}
      FROM (
        SELECT h.account_id, h.start_ms - h.start_ms % ${DAY_MS} AS start_ms, h.key_id, h.model, ${SUMS_OF_HOURS}
        FROM ledger.usage_hourly h WHERE ${IN_RANGE}
        GROUP BY 1, 2, 3, 4
      ) e
      FULL JOIN (SELECT * FROM ledger.usage_daily WHERE ${IN_RANGE}) u USING (account_id, start_ms, key_id, model)
      WHERE ${ROLL_UP_DIFFERS}`,
  },
  {
    invariant: 'deposit_equals_transfers',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'deposits', 'account_id', account_id, 'deposit_id', deposit_id)::text AS place,
             coalesce(t.amount, 0)::text AS expected, d.amount_nanos::text AS found
      FROM (
        SELECT account_id, reference AS deposit_id,
               sum(CASE WHEN debit IN ('deposits', 'adjustments') THEN amount ELSE 0 END
                 - CASE WHEN credit IN ('deposits', 'adjustments') THEN amount ELSE 0 END) AS amount
        FROM ledger.transfers
        WHERE ${IN_RANGE} AND (debit IN ('deposits', 'adjustments') OR credit IN ('deposits', 'adjustments'))
        GROUP BY 1, 2
      ) t
      FULL JOIN (SELECT account_id, deposit_id, amount_nanos FROM ledger.deposits WHERE ${IN_RANGE}) d
        USING (account_id, deposit_id)
      WHERE d.amount_nanos IS DISTINCT FROM coalesce(t.amount, 0)`,
  },
  {
    invariant: 'deposit_equals_transfers',
    sql: `
      SELECT b.account_id::text,
             jsonb_build_object('table', 'balances', 'account_id', b.account_id, 'column', 'deposits + adjustments')::text
               AS place,
             (-d.amount)::text AS expected, (b.deposits + b.adjustments)::text AS found
      FROM ledger.balances b
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount_nanos), 0) AS amount FROM ledger.deposits d WHERE d.account_id = b.account_id
      ) d
      WHERE ${IN_RANGE} AND b.deposits + b.adjustments <> -d.amount`,
  },
  {
    // What was charged and is not attributed yet is still in the lots. An account without lots has no attribution.
    invariant: 'lots_equal_balance',
    sql: `
      SELECT b.account_id::text,
             jsonb_build_object('table', 'lots', 'account_id', b.account_id)::text AS place,
             jsonb_build_object('remaining', e.remaining, 'spent', e.spent, 'expired', e.expired)::text AS expected,
             jsonb_build_object('remaining', l.remaining, 'spent', l.spent, 'expired', l.expired)::text AS found
      FROM ledger.balances b
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(remaining), 0) AS remaining, coalesce(sum(spent), 0) AS spent,
               coalesce(sum(expired), 0) AS expired
        FROM ledger.lots l WHERE l.account_id = b.account_id
      ) l
      CROSS JOIN LATERAL (
        SELECT CASE WHEN b.attributed IS NULL THEN 0
                    ELSE b.available::numeric + b.leased + b.revenue + b.operator_loss - b.attributed END AS remaining,
               coalesce(b.attributed, 0)::numeric AS spent, b.breakage::numeric AS expired
      ) e
      WHERE ${IN_RANGE} AND (l.remaining, l.spent, l.expired) IS DISTINCT FROM (e.remaining, e.spent, e.expired)`,
  },
  {
    invariant: 'nothing_negative',
    sql: `
      SELECT b.account_id::text, jsonb_build_object('table', 'balances', 'account_id', b.account_id)::text AS place,
             NULL AS expected,
             jsonb_build_object(${LEDGER_ACCOUNTS.map((side) => `'${side}', b.${side}`).join(', ')})::text AS found
      FROM ledger.balances b
      WHERE ${IN_RANGE}
        AND (b.available < 0 OR b.leased < 0 OR b.revenue < 0 OR b.receivable > 0 OR b.operator_loss > 0
             OR b.breakage < 0)`,
  },
  {
    invariant: 'nothing_negative',
    sql: `
      SELECT l.account_id::text,
             jsonb_build_object('table', 'leases', 'account_id', l.account_id, 'session_id', l.session_id)::text AS place,
             NULL AS expected,
             jsonb_build_object('granted', l.granted, 'spent', l.spent, 'returned', l.returned)::text AS found
      FROM ledger.leases l
      WHERE ${IN_RANGE} AND (l.granted < l.spent + l.returned OR l.spent < 0 OR l.returned < 0)`,
  },
];

/**
 * Finds inconsistencies of accounts, by their roll-ups and the sums of their movements, which must be of the same snapshot.
 *
 * @param limit maximum findings of each check
 */
export async function checkAccounts(
  db: Queryable,
  { from, end }: Slice,
  movements: Movements,
  limit: number,
): Promise<Finding[]> {
  const range = [from.accountId, end.accountId, limit];
  const findings: Finding[] = [];
  for (const { invariant, sql } of MOVEMENT_CHECKS) {
    const { rows } = await db.query<FindingRow>(sql, [...range, ...movements.values]);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  for (const { invariant, sql } of ROW_CHECKS) {
    const { rows } = await db.query<FindingRow>(`${sql} LIMIT $3`, range);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  return findings;
}
