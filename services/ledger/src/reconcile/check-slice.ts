import type { PoolClient } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from '../store/findings.ts';
import { movementsBetween } from './statements.ts';

/** Checks of rows that never change, each row for itself. Parameters as of MOVEMENTS, and $3 the maximum rows. */
const CHECKS: readonly { invariant: Invariant; sql: string }[] = [
  {
    invariant: 'lines_sum_to_cost',
    sql: `
      SELECT account_id::text,
             jsonb_build_object('table', 'charges', 'account_id', account_id, 'request_id', request_id)::text AS place,
             (SELECT coalesce(sum((line ->> 3)::bigint), 0) FROM jsonb_array_elements(lines) line)::text AS expected,
             cost_nanos::text AS found
      FROM ledger.charges
      WHERE settled_at_ms > $1 AND settled_at_ms <= $2
        AND cost_nanos <> (SELECT coalesce(sum((line ->> 3)::bigint), 0) FROM jsonb_array_elements(lines) line)
      LIMIT $3`,
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
        WHERE created_at_ms > $1 AND created_at_ms <= $2
          AND (debit IN ('deposits', 'adjustments') OR credit IN ('deposits', 'adjustments'))
        GROUP BY 1, 2
      ) t
      FULL JOIN (
        SELECT account_id, deposit_id, amount_nanos FROM ledger.deposits
        WHERE created_at_ms > $1 AND created_at_ms <= $2
      ) d USING (account_id, deposit_id)
      WHERE d.amount_nanos IS DISTINCT FROM coalesce(t.amount, 0)
      LIMIT $3`,
  },
];

/** Finds inconsistencies within the charges and deposits of a time span. */
export async function checkSlice(
  client: PoolClient,
  afterMs: number,
  upToMs: number,
  limit: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, sql } of CHECKS) {
    const { rows } = await client.query<FindingRow>(sql, [...movementsBetween(afterMs, upToMs), limit]);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  return findings;
}
