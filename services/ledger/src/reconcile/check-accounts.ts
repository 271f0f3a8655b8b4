import type { PoolClient } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from '../store/findings.ts';
import {
  inconsistentCaps,
  ledgerAccountsOf,
  MOVED_BY_LEDGER_ACCOUNT,
  MOVED_LEASES,
  MOVEMENTS,
  movementsBetween,
  negativeBalances,
  negativeLeases,
} from './statements.ts';

/** SQL: the sums of all entries of the accounts $3: those summed before, and those posted since. */
const EXPECTED_BY_LEDGER_ACCOUNT = `
  SELECT account_id, side, sum(amount) AS amount FROM (
    SELECT account_id, s.side, s.amount FROM ledger.reconciled r CROSS JOIN LATERAL ${ledgerAccountsOf('r')} AS s (side, amount)
    WHERE account_id = ANY ($3::uuid[])
    UNION ALL
    SELECT account_id, side, amount FROM (${MOVED_BY_LEDGER_ACCOUNT}) entry WHERE account_id = ANY ($3::uuid[])
  ) known
  GROUP BY 1, 2`;

const BALANCES = `
  WITH ${MOVEMENTS}, expected AS MATERIALIZED (${EXPECTED_BY_LEDGER_ACCOUNT})
  SELECT 'entries_sum_to_zero' AS invariant, account_id::text,
         jsonb_build_object('table', 'entries', 'account_id', account_id)::text AS place,
         '0' AS expected, sum(amount)::text AS found
  FROM expected GROUP BY account_id HAVING sum(amount) <> 0
  UNION ALL
  SELECT 'balance_equals_entries', account_id::text,
         jsonb_build_object('table', 'balances', 'account_id', account_id, 'column', side)::text,
         coalesce(e.amount, 0)::text, b.amount::text
  FROM expected e
  FULL JOIN (
    SELECT account_id, s.side, s.amount FROM ledger.balances b CROSS JOIN LATERAL ${ledgerAccountsOf('b')} AS s (side, amount)
    WHERE account_id = ANY ($3::uuid[])
  ) b USING (account_id, side)
  WHERE coalesce(e.amount, 0) IS DISTINCT FROM b.amount
  LIMIT $4`;

const LEASES = `
  WITH ${MOVEMENTS}, expected AS MATERIALIZED (
    SELECT account_id, session_id, sum(granted) AS granted, sum(spent) AS spent, sum(returned) AS returned FROM (
      SELECT account_id, session_id, granted, spent, returned FROM ledger.reconciled_leases
      WHERE account_id = ANY ($3::uuid[])
      UNION ALL
      SELECT account_id, session_id, granted, spent, returned FROM (${MOVED_LEASES}) entry
      WHERE account_id = ANY ($3::uuid[])
    ) known
    GROUP BY 1, 2
  )
  SELECT 'lease_equals_entries' AS invariant, account_id::text,
         jsonb_build_object('table', 'leases', 'account_id', account_id, 'session_id', session_id)::text AS place,
         jsonb_build_object('granted', coalesce(e.granted, 0), 'spent', coalesce(e.spent, 0),
                            'returned', coalesce(e.returned, 0))::text AS expected,
         CASE WHEN l.granted IS NOT NULL THEN
           jsonb_build_object('granted', l.granted, 'spent', l.spent, 'returned', l.returned) END::text AS found
  FROM expected e
  FULL JOIN (SELECT * FROM ledger.leases WHERE account_id = ANY ($3::uuid[])) l USING (account_id, session_id)
  WHERE (coalesce(e.granted, 0), coalesce(e.spent, 0), coalesce(e.returned, 0))
          IS DISTINCT FROM (coalesce(l.granted, 0), coalesce(l.spent, 0), coalesce(l.returned, 0))
    AND NOT EXISTS (
      SELECT FROM ledger.sessions s
      WHERE s.session_id = coalesce(e.session_id, l.session_id) AND s.leases_removed)
  LIMIT $4`;

/** Parameters: the accounts, and the maximum rows. */
const ROWS_OF_ACCOUNTS = `
  (
    SELECT 'leased_equals_leases' AS invariant, b.account_id::text,
           jsonb_build_object('table', 'balances', 'account_id', b.account_id, 'column', 'leased')::text AS place,
           l.remaining::text AS expected, b.leased::text AS found
    FROM ledger.balances b
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(granted - spent - returned), 0) AS remaining FROM ledger.leases l
      WHERE l.account_id = b.account_id
    ) l
    WHERE b.account_id = ANY ($1::uuid[]) AND b.leased <> l.remaining
    LIMIT $2
  ) UNION ALL (
    SELECT 'cap_equals_charges', * FROM (${inconsistentCaps('account_id = ANY ($1::uuid[])')}) n
    LIMIT $2
  ) UNION ALL (
    SELECT 'deposit_equals_transfers', b.account_id::text,
           jsonb_build_object('table', 'balances', 'account_id', b.account_id, 'column', 'deposits + adjustments')::text,
           (-d.amount)::text, (b.deposits + b.adjustments)::text
    FROM ledger.balances b
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_nanos), 0) AS amount FROM ledger.deposits d WHERE d.account_id = b.account_id
    ) d
    WHERE b.account_id = ANY ($1::uuid[]) AND b.deposits + b.adjustments <> -d.amount
    LIMIT $2
  ) UNION ALL (
    SELECT 'nothing_negative', * FROM (${negativeBalances('b.account_id = ANY ($1::uuid[])')}) n LIMIT $2
  ) UNION ALL (
    SELECT 'nothing_negative', * FROM (${negativeLeases('l.account_id = ANY ($1::uuid[])')}) n LIMIT $2
  )`;

/**
 * Finds inconsistencies of accounts, by the sums made before and what was posted since. The progress must be locked. Each
 * statement has a snapshot of its own, and compares only what changes together.
 *
 * @param untilMs of the progress
 * @param limit maximum findings of each statement
 */
export async function checkAccounts(
  client: PoolClient,
  accountIds: string[],
  untilMs: number,
  limit: number,
): Promise<Finding[]> {
  const since = [...movementsBetween(untilMs, undefined), accountIds, limit];
  const balances = await client.query<FindingRow & { invariant: Invariant }>(BALANCES, since);
  const leases = await client.query<FindingRow & { invariant: Invariant }>(LEASES, since);
  const rows = await client.query<FindingRow & { invariant: Invariant }>(ROWS_OF_ACCOUNTS, [accountIds, limit]);
  return [...balances.rows, ...leases.rows, ...rows.rows].map((row) => findingOf(row.invariant, row));
}
