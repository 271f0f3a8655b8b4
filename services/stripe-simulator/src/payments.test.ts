import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { afterEach, describe, expect, it } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../testing/start.ts';

const SECRET = 'whsec_test';
let stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  stops = [];
});

/** Receives events as the official library checks them; answers with the next of `statuses`, then with 200. */
async function startReceiver(statuses: number[] = []) {
  const events: Stripe.Event[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const signature = request.headers['stripe-signature'] ?? '';
    const status = statuses.shift() ?? 200;
    if (status === 200) events.push(Stripe.webhooks.constructEvent(Buffer.concat(parts), signature, SECRET));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { events, url: `http://127.0.0.1:${port}/webhook` };
}

async function start(options: Parameters<typeof startStripeSimulator>[0] = {}) {
  const simulator = await startStripeSimulator(options);
  stops.push(simulator.stop);
  return { simulator, control: simulator.control, stripe: clientOf(simulator) };
}

function clientOf({ host, port }: StripeSimulator) {
  return new Stripe('sk_test_123', { host, port, protocol: 'http', maxNetworkRetries: 0 });
}

const SESSION: Stripe.Checkout.SessionCreateParams = {
  mode: 'payment',
  line_items: [
    { price_data: { currency: 'usd', product_data: { name: 'Credit <b>' }, unit_amount: 2_000 }, quantity: 1 },
  ],
  success_url: 'http://127.0.0.1:9/paid?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'http://127.0.0.1:9/canceled',
  client_reference_id: 'acc_1',
  metadata: { deposit: 'd1' },
  payment_intent_data: { metadata: { account: 'a1' }, setup_future_usage: 'off_session', description: 'Top-up' },
};

describe('a checkout', () => {
  it('is paid on its page, and every event is signed and delivered', async () => {
    const { events, url } = await startReceiver();
    const { control, stripe } = await start({ webhook: { url, secret: SECRET } });
    const customer = await stripe.customers.create({ email: 'a@example.com' });
    const session = await stripe.checkout.sessions.create({ ...SESSION, customer: customer.id });
    expect(session).toMatchObject({ status: 'open', payment_status: 'unpaid', amount_total: 2_000 });

    const page = await fetch(session.url ?? '');
    const text = await page.text();
    expect(text).toContain('Simulated payment: no money moves');
    expect(text).toContain('Credit &lt;b&gt;');
    const paid = await fetch(session.url ?? '', {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'card' }),
      redirect: 'manual',
    });
    expect(paid.status).toBe(303);
    expect(paid.headers.get('location')).toBe(`http://127.0.0.1:9/paid?session=${session.id}`);

    const after = await stripe.checkout.sessions.retrieve(session.id, {
      expand: ['payment_intent.latest_charge.balance_transaction', 'line_items'],
    });
    expect(after).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      url: null,
      metadata: { deposit: 'd1' },
      line_items: { data: [{ description: 'Credit <b>', amount_total: 2_000 }] },
      payment_intent: {
        status: 'succeeded',
        metadata: { account: 'a1' },
        latest_charge: { amount_captured: 2_000, balance_transaction: { amount: 2_000, type: 'charge' } },
      },
    });
    const saved = await stripe.customers.listPaymentMethods(customer.id);
    expect(saved.data).toMatchObject([{ card: { last4: '4242' } }]);

    await control.delivered();
    expect(events.map(({ type }) => type).sort()).toEqual([
      'charge.succeeded',
      'charge.updated',
      'checkout.session.completed',
      'customer.created',
      'payment_intent.created',
      'payment_intent.succeeded',
      'payment_method.attached',
    ]);
    const listed = await stripe.events.list({ type: 'charge.*' });
    expect(listed.data.map(({ type }) => type)).toEqual(['charge.updated', 'charge.succeeded']);
    expect(listed.data[0]?.data.previous_attributes).toEqual({ balance_transaction: null });
  });
});
