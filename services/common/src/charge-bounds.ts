/**
 * What the ledger takes of a charge at most. A charge beyond is put aside and must be looked at by an operator, so an
 * ingress makes none.
 */

/** Nano-dollars of a cost or a hold. No single request costs a million dollars; more is a fault of the sender. */
export const LARGEST_CHARGE_NANOS = 1_000_000n * 1_000_000_000n;

/** Tokens or items of one line. */
export const LARGEST_QUANTITY = 1_000_000_000_000n;

/** Characters of each text. */
export const LONGEST_CHARGE_TEXT = 1_000;

/** Characters of the usage that an upstream reported and that was rejected as implausible, as JSON. */
export const LONGEST_REPORTED_USAGE = 500;
