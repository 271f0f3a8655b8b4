import { Stripe } from 'stripe';
import { afterEach } from 'vitest';
import type { Control } from '../src/control/control.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type StripeSimulator, type StripeSimulatorOptions, startStripeSimulator } from './start.ts';

/** Signs the events of a harness. */
export const SECRET = 'whsec_test';

/** A simulator with its receiver and the official client. */
export interface Harness {
  simulator: StripeSimulator;
  control: Control;
  stripe: Stripe;
  receiver: Receiver;
}

/** Gives a test file simulators that stop after each test. */
export function useSimulators(): (options?: StripeSimulatorOptions) => Promise<Harness> {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });
  return async (options = {}) => {
    const receiver = await startReceiver(SECRET);
    const simulator = await startStripeSimulator({ webhook: { url: receiver.url, secret: SECRET }, ...options });
    stops.push(receiver.stop, simulator.stop);
    return { simulator, control: simulator.control, stripe: clientOf(simulator), receiver };
  };
}

/** The official client of a simulator, which repeats nothing by itself. */
export function clientOf({ host, port }: StripeSimulator, key = 'sk_test_123'): Stripe {
  return new Stripe(key, { host, port, protocol: 'http', maxNetworkRetries: 0 });
}

/** A top-up of 20 dollars. */
export const TOP_UP = {
  mode: 'payment',
  line_items: [
    { price_data: { currency: 'usd', product_data: { name: 'Credit <b>' }, unit_amount: 2_000 }, quantity: 1 },
  ],
  success_url: 'http://127.0.0.1:9/paid?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://127.0.0.1:9/canceled',
  client_reference_id: 'acc_1',
  metadata: { deposit: 'd1' },
  payment_intent_data: { metadata: { account: 'a1' }, setup_future_usage: 'off_session', description: 'Top-up' },
} satisfies Stripe.Checkout.SessionCreateParams;

/** What a call was refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}
