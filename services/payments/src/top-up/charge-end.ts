import type { PaymentSnapshot } from '../providers/provider.ts';
import type { Pause } from '../store/top-ups.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** After the first and the second decline in a row; the next one pauses until somebody resumes. */
const RETRY_AFTER_MS = [HOUR_MS, DAY_MS];

/** How long the cardholder can confirm a payment. */
export const CONFIRM_WITHIN_MS = DAY_MS;

/** How a charge stands: credit is coming, or why it is not. */
export type ChargeEnd =
  | { end: 'coming' }
  | { end: 'confirmation'; failure: string }
  | { end: 'declined'; failure: string; isFinal: boolean };

const NEEDS_CONFIRMATION = 'authentication_required';

/** Declines of a card that never works again, by Stripe's names. */
const FINAL = [
  'expired_card',
  'lost_card',
  'stolen_card',
  'pickup_card',
  'restricted_card',
  'revocation_of_authorization',
];

/** What the provider's answer means for a charge without the cardholder. */
export function chargeEndOf(payment: PaymentSnapshot): ChargeEnd {
  const failure = payment.failure ?? 'declined';
  switch (payment.state) {
    case 'succeeded':
    case 'processing':
      return { end: 'coming' };
    case 'canceled':
      return { end: 'declined', failure, isFinal: false };
    case 'unpaid':
      // No failure: its cardholder was asked although we said that nobody is there.
      if (payment.failure === undefined || failure === NEEDS_CONFIRMATION) {
        return { end: 'confirmation', failure: NEEDS_CONFIRMATION };
      }
      return { end: 'declined', failure, isFinal: payment.failureIsFinal === true || FINAL.includes(failure) };
    default:
      return payment.state satisfies never;
  }
}

/** What follows from a decline. @param declines in a row, with this one */
export function pauseAfterDecline(
  declines: number,
  { failure, isFinal }: { failure: string; isFinal: boolean },
  nowMs: number,
): Pause {
  const afterMs = isFinal ? undefined : RETRY_AFTER_MS[declines - 1];
  return {
    reason: afterMs === undefined ? 'declined' : 'retry',
    untilMs: afterMs === undefined ? undefined : nowMs + afterMs,
    crossing: undefined,
    failure,
  };
}
