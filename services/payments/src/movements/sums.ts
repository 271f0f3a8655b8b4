import type { Movement } from './plan-movements.ts';

/** What a payment has moved. */
export interface Sums {
  creditedNanos: bigint;
  refundedNanos: bigint;
  disputedNanos: bigint;
}

/** Sums movements by what they are of: a deposit after a won dispute gives the dispute back. */
export function sumsOf(movements: readonly Pick<Movement, 'key' | 'kind' | 'amountNanos'>[]): Sums {
  const sums: Sums = { creditedNanos: 0n, refundedNanos: 0n, disputedNanos: 0n };
  for (const { key, kind, amountNanos } of movements) {
    switch (kind) {
      case 'deposit':
        if (key.endsWith(':won')) sums.disputedNanos -= amountNanos;
        else sums.creditedNanos += amountNanos;
        break;
      case 'refund':
        sums.refundedNanos -= amountNanos;
        break;
      case 'dispute':
        sums.disputedNanos -= amountNanos;
        break;
      default:
        kind satisfies never;
    }
  }
  return sums;
}

/** What is left of a payment's credit, neither refunded nor disputed. */
export function leftOf({ creditedNanos, refundedNanos, disputedNanos }: Sums): bigint {
  return creditedNanos - refundedNanos - disputedNanos;
}
