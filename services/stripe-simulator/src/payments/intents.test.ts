import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { type Harness, refusalOf, useSimulators } from '../../testing/harness.ts';
import type { InstrumentName } from './instruments.ts';

const start = useSimulators();

async function saved({ control, stripe }: Harness, instrument: InstrumentName = 'card') {
  const customer = await stripe.customers.create({ email: 'a@example.com' });
  const method = control.saveCard(customer.id, instrument);
  return {
    amount: 1_500,
    currency: 'usd',
    customer: customer.id,
    payment_method: method.id,
    off_session: true,
    confirm: true,
  } satisfies Stripe.PaymentIntentCreateParams;
}

describe('a saved card', () => {
  it('is charged without its owner', async () => {
    const harness = await start();
    const intent = await harness.stripe.paymentIntents.create({
      ...(await saved(harness)),
      expand: ['latest_charge'],
    });
    expect(intent).toMatchObject({
      status: 'succeeded',
      amount_received: 1_500,
      latest_charge: { paid: true, outcome: { type: 'authorized' } },
    });
  });

  it.each([
    ['declined_later', { code: 'card_declined', decline_code: 'generic_decline' }],
    ['authenticate', { code: 'authentication_required', decline_code: 'authentication_required' }],
  ] as const)('is declined as %s', async (instrument, expected) => {
    const harness = await start();
    const refusal = await refusalOf(harness.stripe.paymentIntents.create(await saved(harness, instrument)));
    expect(refusal).toMatchObject({ type: 'StripeCardError', statusCode: 402, ...expected });
    const intent = refusal.payment_intent;
    expect(intent).toMatchObject({ status: 'requires_payment_method', last_payment_error: expected });
    expect(await harness.stripe.charges.retrieve(refusal.charge ?? '')).toMatchObject({
      status: 'failed',
      paid: false,
    });
    expect(harness.control.events().at(-1)).toMatchObject({
      type: 'payment_intent.payment_failed',
      data: { object: { id: intent?.id } },
    });
  });

  it('reacts as a test says from now on', async () => {
    const harness = await start();
    const params = await saved(harness);
    harness.control.setReaction(params.payment_method, { decline: 'expired_card' });
    expect(await refusalOf(harness.stripe.paymentIntents.create(params))).toMatchObject({ code: 'expired_card' });
    harness.control.setReaction(params.payment_method, 'succeed');
    expect(await harness.stripe.paymentIntents.create(params)).toMatchObject({ status: 'succeeded' });
  });

  it('cannot be charged for another customer, or once it is detached from its own', async () => {
    const harness = await start();
    const params = await saved(harness);
    const other = await harness.stripe.customers.create();
    expect(await refusalOf(harness.stripe.paymentIntents.create({ ...params, customer: other.id }))).toMatchObject({
      param: 'payment_method',
    });
    await harness.stripe.paymentMethods.detach(params.payment_method);
    expect((await harness.stripe.customers.listPaymentMethods(params.customer)).data).toEqual([]);
  });
});

describe('a payment', () => {
  it('that needs its owner succeeds once approved', async () => {
    const { control, stripe } = await start();
    const intent = await stripe.paymentIntents.create({
      amount: 1_500,
      currency: 'usd',
      payment_method: 'pm_card_authenticationRequired',
      confirm: true,
      return_url: 'http://127.0.0.1:9/back',
    });
    expect(intent).toMatchObject({ status: 'requires_action', next_action: { type: 'redirect_to_url' } });
    control.authenticate(intent.id, true);
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({ status: 'succeeded' });
  });

  it('that is held can be captured in part, once', async () => {
    const { stripe } = await start();
    const held = await stripe.paymentIntents.create({
      amount: 1_500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
      capture_method: 'manual',
    });
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 1_500, amount_received: 0 });
    const captured = await stripe.paymentIntents.capture(held.id, { amount_to_capture: 900 });
    expect(captured).toMatchObject({ status: 'succeeded', amount_received: 900 });
    expect(await refusalOf(stripe.paymentIntents.capture(held.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
  });

  it('can be canceled until it succeeds', async () => {
    const { stripe } = await start();
    const open = await stripe.paymentIntents.create({ amount: 1_500, currency: 'usd' });
    expect(await stripe.paymentIntents.cancel(open.id)).toMatchObject({ status: 'canceled' });
    expect(await refusalOf(stripe.paymentIntents.confirm(open.id, { payment_method: 'pm_card_visa' }))).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { id: open.id },
    });
  });
});
