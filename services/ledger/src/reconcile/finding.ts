/** The promises that reconciliation proves. */
export const INVARIANTS = [
  /** The entries of an account sum to zero. */
  'entries_sum_to_zero',
  /** The entries of a side sum to its column of the balance. */
  'balance_equals_entries',
  /** leased is what the account's leases still cover. */
  'leased_equals_leases',
  /** A lease's counters are what transfers and charges under it say; nothing was paid without a lease. */
  'lease_equals_entries',
  /** What a cap has lent is what its leases cover, and it has spent what its key was charged in its period. */
  'cap_equals_charges',
  /** An hour's or day's sums are those of the charges that started in it. */
  'roll_up_equals_charges',
  /** A deposit moved what it says. */
  'deposit_equals_transfers',
  /** The lines of a charge sum to its cost. */
  'lines_sum_to_cost',
  /** Nothing that may not be negative is. */
  'nothing_negative',
  /** Entries that were counted once are there still, unchanged. */
  'history_unchanged',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

/** A row that breaks a promise. */
export interface Finding {
  invariant: Invariant;
  accountId: string;
  /** The table and the key of the row at fault, as JSON. */
  place: string;
  /** What the entries say, as JSON; `null` when there should be no such row. */
  expected: string;
  /** What is there, as JSON; `null` when there is nothing. */
  found: string;
}

/** A finding as the statements select it: texts throughout, so that no number is rounded on its way. */
export interface FindingRow {
  account_id: string;
  place: string;
  expected: string | null;
  found: string | null;
}

export function findingOf(invariant: Invariant, row: FindingRow): Finding {
  return {
    invariant,
    accountId: row.account_id,
    place: row.place,
    expected: row.expected ?? 'null',
    found: row.found ?? 'null',
  };
}
