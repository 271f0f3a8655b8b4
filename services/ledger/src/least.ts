/** The lesser of two amounts. */
export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
