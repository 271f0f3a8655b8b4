import type { Control } from '@tollgate/stripe-simulator/control/control';
import type { Stripe } from 'stripe';

/** A kind of object, at the simulator in several states, and as stripe-mock answers it. */
interface Resource {
  ours: (stripe: Stripe, control: Control) => Promise<unknown[]>;
  model: (stripe: Stripe) => Promise<unknown>;
}

const TOP_UP = {
  mode: 'payment',
  line_items: [{ price_data: { currency: 'usd', product_data: { name: 'Credit' }, unit_amount: 2_000 }, quantity: 1 }],
  success_url: 'https://example.com/paid?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://example.com/canceled',
} satisfies Stripe.Checkout.SessionCreateParams;

type Instrument = Parameters<Control['pay']>[1];

/** The payment of a session that was paid so. */
async function intentOf(stripe: Stripe, control: Control, instrument: Instrument): Promise<Stripe.PaymentIntent> {
  const { id } = await stripe.checkout.sessions.create(TOP_UP);
  control.pay(id, instrument);
  const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] });
  if (intent === null || typeof intent === 'string') throw new Error('the session has no payment');
  return intent;
}

async function chargeOf(stripe: Stripe, control: Control, instrument: Instrument): Promise<Stripe.Charge> {
  const { latest_charge: charge } = await intentOf(stripe, control, instrument);
  return stripe.charges.retrieve(String(charge), { expand: ['refunds'] });
}

export const RESOURCES: Readonly<Record<string, Resource>> = {
  customer: {
    ours: async (stripe) => {
      const { id } = await stripe.customers.create({ email: 'a@example.com', address: { country: 'DE' } });
      return [await stripe.customers.retrieve(id)];
    },
    model: (stripe) => stripe.customers.retrieve('cus_1'),
  },
  payment_method: {
    ours: async (stripe, control) => {
      const { id } = await stripe.customers.create();
      control.saveCard(id);
      return (await stripe.customers.listPaymentMethods(id)).data;
    },
    model: (stripe) => stripe.paymentMethods.retrieve('pm_1'),
  },
  checkout_session: {
    ours: async (stripe, control) => {
      const open = await stripe.checkout.sessions.create({
        ...TOP_UP,
        automatic_tax: { enabled: true },
        invoice_creation: { enabled: true },
      });
      const paid = await stripe.checkout.sessions.create(TOP_UP);
      control.pay(paid.id);
      return [open, await stripe.checkout.sessions.retrieve(paid.id)];
    },
    model: (stripe) => stripe.checkout.sessions.retrieve('cs_1'),
  },
  line_items: {
    ours: async (stripe) => {
      const { id } = await stripe.checkout.sessions.create(TOP_UP);
      return [await stripe.checkout.sessions.listLineItems(id)];
    },
    model: (stripe) => stripe.checkout.sessions.listLineItems('cs_1'),
  },
  payment_intent: {
    ours: async (stripe, control) => [
      await stripe.paymentIntents.create({ amount: 1_000, currency: 'usd' }),
      await intentOf(stripe, control, 'card'),
      await intentOf(stripe, control, 'bank_debit'),
      await stripe.paymentIntents.create({
        amount: 1_000,
        currency: 'usd',
        confirm: true,
        payment_method: 'pm_card_visa',
        capture_method: 'manual',
      }),
    ],
    model: (stripe) => stripe.paymentIntents.retrieve('pi_1'),
  },
  charge: {
    ours: async (stripe, control) => {
      const { id } = await chargeOf(stripe, control, 'card');
      await stripe.refunds.create({ charge: id, amount: 500 });
      return [await stripe.charges.retrieve(id, { expand: ['refunds'] })];
    },
    model: (stripe) => stripe.charges.retrieve('ch_1'),
  },
  refund: {
    ours: async (stripe, control) => {
      const { id } = await chargeOf(stripe, control, 'card');
      return [await stripe.refunds.create({ charge: id })];
    },
    model: (stripe) => stripe.refunds.retrieve('re_1'),
  },
  dispute: {
    ours: async (stripe, control) => {
      const dispute = control.dispute((await chargeOf(stripe, control, 'card')).id, { isWarning: true });
      return [await stripe.disputes.retrieve(dispute.id)];
    },
    model: (stripe) => stripe.disputes.retrieve('dp_1'),
  },
  balance_transaction: {
    ours: async (stripe, control) => {
      const { balance_transaction: id } = await chargeOf(stripe, control, 'card');
      return [await stripe.balanceTransactions.retrieve(String(id))];
    },
    model: (stripe) => stripe.balanceTransactions.retrieve('txn_1'),
  },
  event: {
    ours: async (stripe) => {
      await stripe.customers.create();
      const { data } = await stripe.events.list({ limit: 1 });
      return data.map(({ data: { object: _, ...data }, ...event }) => ({ ...event, data }));
    },
    model: async (stripe) => {
      const { data, ...event } = await stripe.events.retrieve('evt_1');
      return { ...event, data: { ...data, object: undefined } };
    },
  },
  list: {
    ours: async (stripe) => [await stripe.paymentIntents.list()].map((list) => ({ ...list, data: [] })),
    model: (stripe) => stripe.paymentIntents.list(),
  },
};

/** Calls that both must take. */
interface CallOfBoth {
  act: (stripe: Stripe, control: Control | undefined) => Promise<unknown>;
}

export const CALLS: Readonly<Record<string, CallOfBoth>> = {
  'creating a customer': {
    act: (stripe) =>
      stripe.customers.create({
        address: { city: 'Berlin', country: 'DE', line1: 'a', line2: 'b', postal_code: '10115', state: 'BE' },
        description: 'a',
        email: 'a@example.com',
        metadata: { a: 'b' },
        name: 'A',
        phone: '1',
      }),
  },
  'opening a checkout': {
    act: async (stripe) => {
      const customer = await stripe.customers.create();
      await stripe.checkout.sessions.create({
        ...TOP_UP,
        adaptive_pricing: { enabled: false },
        allow_promotion_codes: false,
        automatic_tax: { enabled: true, liability: { type: 'self' } },
        billing_address_collection: 'required',
        client_reference_id: 'a',
        customer: customer.id,
        customer_update: { address: 'auto', name: 'auto' },
        expires_at: Math.floor(Date.now() / 1_000) + 3_600,
        invoice_creation: { enabled: true, invoice_data: { description: 'a', footer: 'b', metadata: { a: 'b' } } },
        line_items: [
          {
            price_data: {
              currency: 'usd',
              product_data: { name: 'Credit', description: 'a', metadata: { a: 'b' }, tax_code: 'txcd_10000000' },
              tax_behavior: 'exclusive',
              unit_amount: 2_000,
            },
            quantity: 2,
          },
        ],
        locale: 'en',
        metadata: { a: 'b' },
        payment_intent_data: {
          capture_method: 'automatic_async',
          description: 'a',
          metadata: { a: 'b' },
          receipt_email: 'a@example.com',
          setup_future_usage: 'off_session',
          statement_descriptor_suffix: 'A',
        },
        saved_payment_method_options: { payment_method_save: 'enabled' },
        submit_type: 'pay',
        tax_id_collection: { enabled: true },
      });
    },
  },
  'charging a saved card': {
    act: async (stripe) => {
      const customer = await stripe.customers.create();
      const method = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
      await stripe.paymentIntents.create({
        amount: 1_000,
        automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
        capture_method: 'manual',
        confirm: true,
        currency: 'usd',
        customer: customer.id,
        description: 'a',
        expand: ['latest_charge'],
        metadata: { a: 'b' },
        off_session: true,
        payment_method: method.id,
        receipt_email: 'a@example.com',
        return_url: 'https://example.com/back',
        statement_descriptor_suffix: 'A',
      });
    },
  },
  'capturing, canceling and refunding': {
    act: async (stripe) => {
      const create = () =>
        stripe.paymentIntents.create({
          amount: 1_000,
          capture_method: 'manual',
          confirm: true,
          currency: 'usd',
          payment_method: 'pm_card_visa',
        });
      const held = await create();
      await stripe.paymentIntents.capture(held.id, { amount_to_capture: 900, final_capture: true });
      await stripe.paymentIntents.cancel((await create()).id, { cancellation_reason: 'abandoned' });
      await stripe.refunds.create({
        payment_intent: held.id,
        amount: 100,
        metadata: { a: 'b' },
        reason: 'requested_by_customer',
      });
    },
  },
  'listing everything': {
    act: async (stripe) => {
      const created = { gte: 1, lt: 4_000_000_000 };
      const { id } = await stripe.customers.create();
      await stripe.checkout.sessions.list({ created, limit: 3, payment_intent: 'pi_1', status: 'open', customer: id });
      await stripe.paymentIntents.list({ created, customer: id });
      await stripe.charges.list({ created, payment_intent: 'pi_1' });
      await stripe.refunds.list({ created, payment_intent: 'pi_1' });
      await stripe.disputes.list({ created, payment_intent: 'pi_1', charge: 'ch_1' });
      await stripe.events.list({ created, types: ['charge.succeeded'], delivery_success: false });
      await stripe.customers.listPaymentMethods(id, { type: 'card', limit: 3 });
      await stripe.paymentMethods.list({ customer: id, type: 'card' });
    },
  },
};
