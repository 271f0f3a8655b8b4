/** The sides of the double entry, which are columns of ledger.balances and ledger.reconciled. */
export const SIDES = [
  'available',
  'leased',
  'revenue',
  'deposits',
  'adjustments',
  'receivable',
  'operator_loss',
] as const;

/** SQL: columns that sum a relation of (side, amount) by side. */
export const SUMS_BY_SIDE = SIDES.map(
  (side) => `coalesce(sum(amount) FILTER (WHERE side = '${side}'), 0) AS ${side}`,
).join(', ');

/** SQL: the rows (side, amount) of an alias that has a column for each side. */
export function sidesOf(alias: string): string {
  return `(VALUES ${SIDES.map((side) => `('${side}'::ledger.side, ${alias}.${side})`).join(', ')})`;
}
