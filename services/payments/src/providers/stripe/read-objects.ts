import type { Stripe } from 'stripe';
import { originOf, refundOriginOf } from '../origin.ts';
import type {
  CheckoutSnapshot,
  DisputeSnapshot,
  PaymentSnapshot,
  ProviderPaymentState,
  RefundSnapshot,
  SavedMethod,
} from '../provider.ts';

/** The id of an object that Stripe gives as its id or whole. */
export function idOf(value: string | { id: string } | null | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.id;
}

const ENDED_CHECKOUTS = ['complete', 'expired'] as const;

export function readCheckout({ id, status, metadata }: Stripe.Checkout.Session): CheckoutSnapshot {
  const ended = ENDED_CHECKOUTS.find((each) => each === status);
  return { id, state: ended ?? 'open', origin: originOf(metadata) };
}

interface OfIntent {
  /** The newest of them. */
  charges: readonly Stripe.Charge[];
  refunds: readonly Stripe.Refund[];
  disputes: readonly Stripe.Dispute[];
}

/** @param intent with its latest charge */
export function readPayment(intent: Stripe.PaymentIntent, { charges, refunds, disputes }: OfIntent): PaymentSnapshot {
  return {
    id: intent.id,
    currency: intent.currency,
    cents: BigInt(intent.amount),
    receivedCents: BigInt(intent.amount_received),
    state: readState(intent.status),
    origin: originOf(intent.metadata),
    method: methodOf(intent.latest_charge),
    failure: intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code ?? undefined,
    failedCards: charges
      .filter(({ status }) => status === 'failed')
      .map(({ id, created }) => ({ id, failedAtMs: created * 1_000 })),
    failureIsFinal: intent.last_payment_error?.advice_code === 'do_not_try_again',
    refunds: refunds.map(readRefund),
    disputes: disputes.map(readDispute),
  };
}

const KNOWN_STATES = ['succeeded', 'processing', 'canceled'] as const;

export function readState(status: Stripe.PaymentIntent.Status): ProviderPaymentState {
  // Nothing of it is received before it is captured.
  if (status === 'requires_capture') return 'processing';
  return KNOWN_STATES.find((each) => each === status) ?? 'unpaid';
}

/** Such as `visa 4242`, or the kind of method. */
function methodOf(charge: string | Stripe.Charge | null): string | undefined {
  const details = typeof charge === 'string' ? undefined : charge?.payment_method_details;
  if (details === undefined || details === null) return undefined;
  const { card, type } = details;
  return card?.brand && card.last4 ? `${card.brand} ${card.last4}` : type;
}

export function readRefund({ id, amount, status, created, metadata }: Stripe.Refund): RefundSnapshot {
  return {
    id,
    cents: BigInt(amount),
    state: refundState(status),
    createdAtMs: created * 1_000,
    ours: refundOriginOf(metadata),
  };
}

function refundState(status: string | null): RefundSnapshot['state'] {
  switch (status) {
    case 'succeeded':
      return 'succeeded';
    case 'failed':
    case 'canceled':
      return 'failed';
    default:
      return 'pending';
  }
}

const DECIDED = ['won', 'lost', 'warning_closed', 'prevented'];

/** Money is withdrawn and returned by transactions on our balance. An inquiry has none. */
export function readDispute(dispute: Stripe.Dispute): DisputeSnapshot {
  const { id, amount, status, created, balance_transactions: transactions } = dispute;
  const withdrawn = transactions.some((each) => each.amount < 0);
  const isReturned = transactions.reduce((total, each) => total + each.amount, 0) >= 0;
  return {
    id,
    cents: BigInt(amount),
    withdrawn,
    won: withdrawn && (status === 'won' || isReturned),
    open: !DECIDED.includes(status),
    createdAtMs: created * 1_000,
  };
}

export function readMethod({ id, card }: Stripe.PaymentMethod): SavedMethod | undefined {
  if (card === undefined) return undefined;
  const { brand, last4, exp_month: expiresMonth, exp_year: expiresYear } = card;
  return { id, brand, last4, expiresMonth, expiresYear };
}
