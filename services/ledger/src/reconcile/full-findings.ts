import type { Queryable } from '@tollgate/common/postgres/pool';
import { type Finding, type FindingRow, findingOf } from './finding.ts';
import { FULL_CHECKS } from './full-checks.ts';

/** Accounts after one up to and with another. */
export interface AccountRange {
  after: string;
  upTo: string;
}

export const BEFORE_ALL_ACCOUNTS = '00000000-0000-0000-0000-000000000000';
export const LAST_ACCOUNT = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * What is wrong with a range of accounts, from nothing but the rows themselves.
 *
 * @param db a client in a transaction of one snapshot, or a ledger that rests
 * @param limit findings of each kind at most
 */
export async function fullFindings(db: Queryable, range: AccountRange, limit: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { invariant, sql } of FULL_CHECKS) {
    const { rows } = await db.query<FindingRow>(`${sql} LIMIT $3`, [range.after, range.upTo, limit]);
    findings.push(...rows.map((row) => findingOf(invariant, row)));
  }
  return findings;
}
