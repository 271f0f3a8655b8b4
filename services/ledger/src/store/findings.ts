import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Slice } from './reconciliation.ts';

/** The invariants that reconciliation verifies. */
export const INVARIANTS = [
  /** The entries of a ledger account sum to its column of the balance. */
  'balance_equals_entries',
  /** leased is the remaining credit of the account's leases. */
  'leased_equals_leases',
  /** A lease's counters match its transfers and charges; nothing was paid without a lease. */
  'lease_equals_entries',
  /** A cap has lent what remains on its leases, and has spent what keys below its node were charged in its period. */
  'cap_equals_charges',
  /** What keys below a node were charged on a day is the sum of the charges that name the node. */
  'node_usage_equals_charges',
  /** The roll-up of an hour or day matches the charges that started in it. */
  'roll_up_equals_charges',
  /** A deposit moved its amount. */
  'deposit_equals_transfers',
  /** Lots have what is left of the credit, what was charged to it, and what expired. */
  'lots_equal_balance',
  /** The lines of a charge sum to its cost. */
  'lines_sum_to_cost',
  /** The lines of a charge at list rates sum to its base cost. */
  'lines_sum_to_base_cost',
  /** No amount is negative that must not be. */
  'nothing_negative',
] as const;

export type Invariant = (typeof INVARIANTS)[number];

/** A row that violates an invariant. */
export interface Finding {
  invariant: Invariant;
  accountId: string;
  /** The table and key of the row, as JSON. */
  place: string;
  /** The value by the entries, as JSON; `null` when there should be no such row. */
  expected: string;
  /** The stored value, as JSON; `null` when there is none. */
  found: string;
}

/** A finding as selected by the statements: all text, so that no number is rounded. */
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

/** Inserts or updates findings. */
export async function storeFindings(db: Queryable, findings: readonly Finding[]): Promise<void> {
  if (findings.length === 0) return;
  await db.query({
    name: 'store-findings',
    text: `
      INSERT INTO ledger.findings AS f (account_id, invariant, place, expected, found, checked_by)
      SELECT DISTINCT ON (account_id, invariant, place)
             account_id, invariant, place::jsonb, expected::jsonb, found::jsonb, 'full'
      FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[])
        AS given (account_id, invariant, place, expected, found)
      ON CONFLICT (account_id, invariant, place) DO UPDATE
        SET expected = excluded.expected, found = excluded.found, checked_by = excluded.checked_by,
            last_found_at = clock_timestamp()`,
    values: [
      findings.map((finding) => finding.accountId),
      findings.map((finding) => finding.invariant),
      findings.map((finding) => finding.place),
      findings.map((finding) => finding.expected),
      findings.map((finding) => finding.found),
    ],
  });
}

/**
 * Clears earlier findings of the accounts that end in a slice. Those of the first account that this pass found in an earlier
 * slice stay.
 *
 * @param passBeganMs when the pass began
 */
export async function clearFindings(db: Queryable, { from, end }: Slice, passBeganMs: number): Promise<void> {
  await db.query({
    name: 'clear-findings',
    text: `
      DELETE FROM ledger.findings
      WHERE account_id >= $1 AND account_id < $2
        AND (account_id > $1 OR $3::bigint = 0 OR last_found_at < to_timestamp($4::bigint / 1000.0))`,
    values: [from.accountId, end.accountId, from.hourMs, passBeganMs],
  });
}

/** The open findings: their number, and the oldest of them. */
export async function listFindings(db: Queryable, limit: number): Promise<{ findings: Finding[]; total: number }> {
  const { rows } = await db.query<FindingRow & { invariant: Invariant; total: bigint }>({
    name: 'list-findings',
    text: `
      SELECT account_id::text, invariant, place::text, expected::text, found::text, count(*) OVER () AS total
      FROM ledger.findings ORDER BY first_found_at, account_id, invariant, place LIMIT $1`,
    values: [limit],
  });
  return { findings: rows.map((row) => findingOf(row.invariant, row)), total: Number(rows[0]?.total ?? 0) };
}
