import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Finding } from '../store/findings.ts';
import type { Slice } from '../store/reconciliation.ts';
import { checkAccounts } from './account-checks.ts';
import { checkCharges } from './charge-checks.ts';
import { readMovements } from './movements.ts';

export interface CheckedSlice {
  findings: Finding[];
  /** Entries of the accounts that end in the slice. */
  charges: number;
  transfers: number;
}

/**
 * Finds what contradicts itself in a slice, from the rows alone. Hours are proven by their charges, days by their hours, and
 * balances and caps by the days, so an account of any size is checked piece by piece. Only leases need all charges of an
 * account at once.
 *
 * @param db a client in a transaction with one snapshot, or an idle ledger
 * @param limit maximum findings of each check
 */
export async function checkSlice(db: Queryable, slice: Slice, limit: number): Promise<CheckedSlice> {
  const findings = await checkCharges(db, slice, limit);
  if (slice.from.accountId === slice.end.accountId) return { findings, charges: 0, transfers: 0 };
  const movements = await readMovements(db, slice);
  findings.push(...(await checkAccounts(db, slice, movements, limit)));
  return { findings, charges: movements.charges, transfers: movements.transfers };
}
