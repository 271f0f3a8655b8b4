import type { PoolClient } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf, type Invariant } from '../store/findings.ts';
import { inconsistentDeposits, inconsistentLines, movementsBetween } from './statements.ts';

const CREATED_IN_SLICE = 'created_at_ms > $1 AND created_at_ms <= $2';

/** Checks of rows that never change, each row for itself. Parameters as of MOVEMENTS. */
const CHECKS: readonly { invariant: Invariant; sql: string }[] = [
  { invariant: 'lines_sum_to_cost', sql: inconsistentLines('settled_at_ms > $1 AND settled_at_ms <= $2') },
  { invariant: 'deposit_equals_transfers', sql: inconsistentDeposits(CREATED_IN_SLICE, CREATED_IN_SLICE) },
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
    const { rows } = await client.query<FindingRow>(`${sql} LIMIT $3`, [...movementsBetween(afterMs, upToMs), limit]);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  return findings;
}
