import type { PaymentSnapshot } from '../src/providers/provider.ts';

/** A payment of 100 dollars, paid; `changes` override. */
export function paidSnapshot(changes: Partial<PaymentSnapshot> = {}): PaymentSnapshot {
  return {
    id: 'pi_1',
    currency: 'usd',
    cents: 10_000n,
    receivedCents: 10_000n,
    state: 'succeeded',
    origin: undefined,
    method: 'visa 4242',
    failure: undefined,
    failedCards: [],
    refunds: [],
    disputes: [],
    ...changes,
  };
}
