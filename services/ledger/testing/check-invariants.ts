import type { Queryable } from '@tollgate/common/postgres/pool';
import { BEFORE_ALL_ACCOUNTS, fullFindings, LAST_ACCOUNT } from '../src/reconcile/full-check.ts';

/** The violated invariants of the ledger, with the rows; empty when there are none. */
export async function brokenInvariants(db: Queryable): Promise<string[]> {
  const findings = await fullFindings(db, { after: BEFORE_ALL_ACCOUNTS, upTo: LAST_ACCOUNT }, 3);
  return findings.map(({ invariant, place, expected, found }) => `${invariant}: ${place} is ${found}, not ${expected}`);
}
