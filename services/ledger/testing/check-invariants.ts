import type { Queryable } from '@tollgate/common/postgres/pool';
import { checkSlice } from '../src/reconcile/check-slice.ts';
import { EVERYTHING } from '../src/reconcile/slice.ts';

/** The violated invariants of the ledger, with the rows; empty when there are none. */
export async function brokenInvariants(db: Queryable): Promise<string[]> {
  const { findings } = await checkSlice(db, EVERYTHING, 3);
  return findings.map(({ invariant, place, expected, found }) => `${invariant}: ${place} is ${found}, not ${expected}`);
}
