import { divideHalfEven } from '@tollgate/common/money';

/** Nano-dollars of one cent, the smallest amount that can be paid. */
export const NANOS_PER_CENT = 10_000_000n;

/** An amount in cents; undefined unless it is whole. */
export function centsOf(nanos: bigint): bigint | undefined {
  return nanos % NANOS_PER_CENT === 0n ? nanos / NANOS_PER_CENT : undefined;
}

/** `amount` x `part` / `whole`, rounded half to even. None may be negative, and `whole` not 0. */
export function proportion(amount: bigint, part: bigint, whole: bigint): bigint {
  return divideHalfEven(amount * part, whole);
}
