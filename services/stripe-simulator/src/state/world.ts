import type { Stripe } from 'stripe';
import type { Reaction } from '../payments/instruments.ts';
import type { Clock } from './clock.ts';
import { Collection } from './collection.ts';
import type { Ids } from './ids.ts';

/** Maximum number of kept objects of a kind. */
const MAX_OBJECTS = 10_000;

/** How a payment method reacts when it is charged with its owner present, and without. */
export interface Reactions {
  present: Reaction;
  absent: Reaction;
  /** It was detached from its customer, and cannot be used again. */
  isDetached?: boolean;
}

/** The API call that causes what happens now; null when something else does. */
export interface Cause {
  id: string;
  idempotency_key: string | null;
}

/** What must be known of a checkout session beside its object. */
export interface SessionDetails {
  lineItems: Stripe.LineItem[];
  paymentIntentData: {
    description: string | undefined;
    metadata: Record<string, string>;
    setupFutureUsage: 'off_session' | 'on_session' | undefined;
    captureMethod: 'automatic' | 'automatic_async' | 'manual' | undefined;
    statementDescriptorSuffix: string | undefined;
    receiptEmail: string | undefined;
  };
}

/** All that the simulator knows. */
export class World {
  readonly customers = new Collection<Stripe.Customer>(MAX_OBJECTS);
  readonly paymentMethods = new Collection<Stripe.PaymentMethod>(MAX_OBJECTS);
  readonly paymentIntents = new Collection<Stripe.PaymentIntent>(MAX_OBJECTS);
  readonly charges = new Collection<Stripe.Charge>(MAX_OBJECTS);
  readonly refunds = new Collection<Stripe.Refund>(MAX_OBJECTS);
  readonly disputes = new Collection<Stripe.Dispute>(MAX_OBJECTS);
  readonly sessions = new Collection<Stripe.Checkout.Session>(MAX_OBJECTS);
  readonly balanceTransactions = new Collection<Stripe.BalanceTransaction>(MAX_OBJECTS);
  readonly events = new Collection<Stripe.Event>(MAX_OBJECTS);
  readonly sessionDetails = new Collection<SessionDetails & { id: string }>(MAX_OBJECTS);
  readonly reactions = new Collection<Reactions & { id: string }>(MAX_OBJECTS);
  readonly clock: Clock;
  readonly ids: Ids;
  /** Origin of the pages for browsers. */
  origin = 'http://localhost';
  /** Percent that automatic tax adds. */
  taxPercent = 0;
  cause: Cause | null = null;
  /** Called with each new event. */
  onEvent: (event: Stripe.Event) => void = () => undefined;

  constructor(clock: Clock, ids: Ids) {
    this.clock = clock;
    this.ids = ids;
  }

  /** The time as Stripe writes it, in seconds. */
  seconds(): number {
    return Math.floor(this.clock.now() / 1_000);
  }

  /** The object with this id, of any kind that other objects refer to. */
  find(id: string): object | undefined {
    const kinds: readonly Collection<{ id: string }>[] = [
      this.paymentIntents,
      this.charges,
      this.customers,
      this.paymentMethods,
      this.refunds,
      this.disputes,
      this.balanceTransactions,
    ];
    for (const kind of kinds) {
      const found = kind.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
