// Limits of a charge. The ledger quarantines charges beyond them, so an ingress creates none.

/** Nano-dollars of a cost or a hold. No request costs a million dollars: more is a bug of the sender. */
export const MAX_CHARGE_NANOS = 1_000_000n * 1_000_000_000n;

/** Tokens or items of one line. */
export const MAX_QUANTITY = 1_000_000_000_000n;

/** Characters of each text. */
export const MAX_CHARGE_TEXT_LENGTH = 1_000;

/** Characters of each id of a client's session or agent. */
export const MAX_CLIENT_ID_LENGTH = 100;

/** Characters of usage that an upstream reported and that was rejected as implausible, as JSON. */
export const MAX_REPORTED_USAGE_LENGTH = 500;

/** Nodes above the key. */
export const MAX_CHARGE_NODES = 8;

/** Calls to providers for one request. */
export const MAX_ATTEMPTS = 10;
