import type { Queryable } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from '../store/findings.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import {
  inconsistentCaps,
  inconsistentDeposits,
  inconsistentLines,
  isKept,
  ledgerAccountsOf,
  negativeBalances,
  negativeLeases,
  QUANTITIES,
  ROLL_UP_DIFFERS,
  rollUpFinding,
  SUMS_OF_CHARGES,
  SUMS_OF_HOURS,
} from './statements.ts';

const IN_RANGE = 'account_id > $1 AND account_id <= $2';

/**
 * Statements that find inconsistencies of the accounts after $1 up to and including $2, from the rows alone (of archived
 * months: their sums). Each selects rows of FindingRow. Run them in one snapshot.
 */
export const FULL_CHECKS: readonly { invariant: Invariant; sql: string }[] = [
  {
    invariant: 'entries_sum_to_zero',
    sql: `
      SELECT account_id::text, jsonb_build_object('table', 'entries', 'account_id', account_id)::text AS place,
             '0' AS expected, sum(amount)::text AS found
      FROM ledger.entries WHERE account_id > $1 AND account_id <= $2
      GROUP BY account_id HAVING sum(amount) <> 0`,
  },
  {
    invariant: 'balance_equals_entries',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'balances', 'account_id', account_id, 'column', side)::text AS place,
             coalesce(e.amount, 0)::text AS expected, b.amount::text AS found
      FROM (
        SELECT account_id, side, sum(amount) AS amount FROM ledger.entries
        WHERE account_id > $1 AND account_id <= $2 GROUP BY 1, 2
      ) e
      FULL JOIN (
        SELECT account_id, s.side, s.amount FROM ledger.balances b
        CROSS JOIN LATERAL ${ledgerAccountsOf('b')} AS s (side, amount)
        WHERE account_id > $1 AND account_id <= $2
      ) b USING (account_id, side)
      WHERE coalesce(e.amount, 0) IS DISTINCT FROM b.amount`,
  },
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
      WHERE b.account_id > $1 AND b.account_id <= $2 AND b.leased <> l.remaining`,
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
      FROM (${leaseEntries('IS NOT NULL')}) e
      FULL JOIN (SELECT * FROM ledger.leases WHERE account_id > $1 AND account_id <= $2) l
        USING (account_id, session_id)
      WHERE (coalesce(e.granted, 0), coalesce(e.spent, 0), coalesce(e.returned, 0))
              IS DISTINCT FROM (coalesce(l.granted, 0), coalesce(l.spent, 0), coalesce(l.returned, 0))
        AND NOT EXISTS (
          SELECT FROM ledger.sessions s
          WHERE s.session_id = coalesce(e.session_id, l.session_id) AND s.leases_removed)`,
  },
  { invariant: 'cap_equals_charges', sql: inconsistentCaps(IN_RANGE) },
  { invariant: 'roll_up_equals_charges', sql: hourlyCheck() },
  { invariant: 'roll_up_equals_charges', sql: dailyCheck() },
  {
    invariant: 'deposit_equals_transfers',
    sql: inconsistentDeposits(
      IN_RANGE,
      `${IN_RANGE} AND created_at_ms >= (SELECT archived_until_ms FROM ledger.reconciliation)`,
    ),
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
      WHERE b.account_id > $1 AND b.account_id <= $2 AND b.deposits + b.adjustments <> -d.amount`,
  },
  { invariant: 'lines_sum_to_cost', sql: inconsistentLines(IN_RANGE) },
  { invariant: 'nothing_negative', sql: negativeBalances('b.account_id > $1 AND b.account_id <= $2') },
  { invariant: 'nothing_negative', sql: negativeLeases('l.account_id > $1 AND l.account_id <= $2') },
  {
    invariant: 'history_unchanged',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'entries', 'account_id', account_id, 'column', side,
                                'until_ms', (SELECT until_ms FROM ledger.reconciliation))::text AS place,
             r.amount::text AS expected, coalesce(e.amount, 0)::text AS found
      FROM (
        SELECT account_id, side, sum(amount) AS amount FROM ledger.entries
        WHERE account_id > $1 AND account_id <= $2
          AND created_at_ms <= (SELECT until_ms FROM ledger.reconciliation)
        GROUP BY 1, 2
      ) e
      FULL JOIN (
        SELECT account_id, s.side, s.amount FROM ledger.reconciled r
        CROSS JOIN LATERAL ${ledgerAccountsOf('r')} AS s (side, amount)
        WHERE account_id > $1 AND account_id <= $2
      ) r USING (account_id, side)
      WHERE coalesce(e.amount, 0) <> coalesce(r.amount, 0)`,
  },
  {
    invariant: 'history_unchanged',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'lease entries', 'account_id', account_id, 'session_id', session_id,
                                'until_ms', (SELECT until_ms FROM ledger.reconciliation))::text AS place,
             jsonb_build_object('granted', coalesce(r.granted, 0), 'spent', coalesce(r.spent, 0),
                                'returned', coalesce(r.returned, 0))::text AS expected,
             jsonb_build_object('granted', coalesce(e.granted, 0), 'spent', coalesce(e.spent, 0),
                                'returned', coalesce(e.returned, 0))::text AS found
      FROM (${leaseEntries('<= (SELECT until_ms FROM ledger.reconciliation)')}) e
      FULL JOIN (SELECT * FROM ledger.reconciled_leases WHERE account_id > $1 AND account_id <= $2) r
        USING (account_id, session_id)
      WHERE (coalesce(e.granted, 0), coalesce(e.spent, 0), coalesce(e.returned, 0))
              IS DISTINCT FROM (coalesce(r.granted, 0), coalesce(r.spent, 0), coalesce(r.returned, 0))
        AND NOT EXISTS (
          SELECT FROM ledger.sessions s
          WHERE s.session_id = coalesce(e.session_id, r.session_id) AND s.leases_removed)`,
  },
];

/** SQL: the sums of entries by lease, of entries whose time meets the condition. */
function leaseEntries(time: string): string {
  return `
    SELECT account_id, session_id, sum(granted) AS granted, sum(spent) AS spent, sum(returned) AS returned
    FROM (
      SELECT account_id, session_id, 0 AS granted, charged_nanos AS spent, 0 AS returned
      FROM ledger.charges WHERE account_id > $1 AND account_id <= $2 AND settled_at_ms ${time}
      UNION ALL
      SELECT account_id, reference, CASE WHEN reason = 'lease_grant' THEN amount ELSE 0 END, 0,
             CASE WHEN reason <> 'lease_grant' THEN amount ELSE 0 END
      FROM ledger.transfers
      WHERE account_id > $1 AND account_id <= $2 AND reason IN ('lease_grant', 'lease_return', 'lease_freed')
        AND created_at_ms ${time}
      UNION ALL
      SELECT account_id, session_id, granted, spent, returned
      FROM ledger.carried_leases WHERE account_id > $1 AND account_id <= $2
    ) entry
    GROUP BY 1, 2`;
}

function hourlyCheck(): string {
  return `
    SELECT ${rollUpFinding('usage_hourly')}
    FROM (
      SELECT c.account_id, c.started_at_ms - c.started_at_ms % ${HOUR_MS} AS start_ms, c.key_id, c.model,
             ${SUMS_OF_CHARGES}
      FROM ledger.charges c CROSS JOIN ${QUANTITIES}
      WHERE c.account_id > $1 AND c.account_id <= $2
      GROUP BY 1, 2, 3, 4
    ) e
    FULL JOIN (SELECT * FROM ledger.usage_hourly WHERE account_id > $1 AND account_id <= $2) u
      USING (account_id, start_ms, key_id, model)
    WHERE ${ROLL_UP_DIFFERS} AND ${isKept('start_ms')}`;
}

function dailyCheck(): string {
  return `
    SELECT ${rollUpFinding('usage_daily')}
    FROM (
      SELECT h.account_id, h.start_ms - h.start_ms % ${DAY_MS} AS start_ms, h.key_id, h.model, ${SUMS_OF_HOURS}
      FROM ledger.usage_hourly h WHERE h.account_id > $1 AND h.account_id <= $2
      GROUP BY 1, 2, 3, 4
    ) e
    FULL JOIN (SELECT * FROM ledger.usage_daily WHERE account_id > $1 AND account_id <= $2) u
      USING (account_id, start_ms, key_id, model)
    WHERE ${ROLL_UP_DIFFERS}`;
}

/** Accounts after one, up to and including another. */
export interface AccountRange {
  after: string;
  upTo: string;
}

export const BEFORE_ALL_ACCOUNTS = '00000000-0000-0000-0000-000000000000';
export const LAST_ACCOUNT = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Finds inconsistencies of a range of accounts, from the rows alone.
 *
 * @param db a client in a transaction with one snapshot, or an idle ledger
 * @param limit maximum findings of each check
 */
export async function fullFindings(db: Queryable, range: AccountRange, limit: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, sql } of FULL_CHECKS) {
    const { rows } = await db.query<FindingRow>(`${sql} LIMIT $3`, [range.after, range.upTo, limit]);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  return findings;
}
