import type { CapStatus } from '../src/shared/limits/ceilings.ts';

export const DOLLAR = 1_000_000_000n;
export const OWNER = { accountId: 'account', keyId: 'key', keyName: 'ci', nodes: [], session: undefined };

/** A daily cap with $1 left, a quarter of it held. */
export const CAP: CapStatus = {
  nodeId: 'key',
  window: 'day',
  startMs: Date.UTC(2026, 10, 23),
  limitNanos: 5n * DOLLAR,
  spentNanos: 4n * DOLLAR,
  leftNanos: DOLLAR,
  heldNanos: DOLLAR / 4n,
};
