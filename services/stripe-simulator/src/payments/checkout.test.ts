import { describe, expect, it } from 'vitest';
import { refusalOf, TOP_UP, useSimulators } from '../../testing/harness.ts';

const start = useSimulators();

describe('a checkout', () => {
  it('is paid on its page, and every event is signed and delivered', async () => {
    const { control, stripe, receiver } = await start();
    const customer = await stripe.customers.create({ email: 'a@example.com' });
    const session = await stripe.checkout.sessions.create({ ...TOP_UP, customer: customer.id });
    expect(session).toMatchObject({ status: 'open', payment_status: 'unpaid', amount_total: 2_000 });
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
    expect(receiver.events.map(({ type }) => type).sort()).toEqual([
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

  it('stays open after a decline, and the same payment succeeds with another card', async () => {
    const { control, stripe } = await start();
    const session = await stripe.checkout.sessions.create(TOP_UP);
    expect(control.pay(session.id, 'declined')).toEqual({
      kind: 'declined',
      message: 'Your card has insufficient funds.',
    });
    const { payment_intent: first, status } = await stripe.checkout.sessions.retrieve(session.id);
    expect(status).toBe('open');
    control.pay(session.id, 'card');
    const { payment_intent: second, status: end } = await stripe.checkout.sessions.retrieve(session.id);
    expect({ second, end }).toEqual({ second: first, end: 'complete' });
  });

  it('is unpaid until a bank debit is settled, by the clock', async () => {
    const { control, stripe } = await start();
    const session = await stripe.checkout.sessions.create(TOP_UP);
    control.pay(session.id, 'bank_debit');
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
    });
    control.advance(10_000);
    expect(await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })).toMatchObject({
      payment_status: 'paid',
      payment_intent: { status: 'succeeded', amount_received: 2_000 },
    });
    expect(control.events().at(-1)?.type).toBe('checkout.session.async_payment_succeeded');
  });

  it('learns that a bank debit failed', async () => {
    const { control, stripe } = await start();
    const session = await stripe.checkout.sessions.create(TOP_UP);
    control.pay(session.id, 'bank_debit_fails');
    control.advance(10_000);
    expect(await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })).toMatchObject({
      payment_status: 'unpaid',
      payment_intent: { status: 'requires_payment_method', last_payment_error: { decline_code: 'insufficient_funds' } },
    });
    expect(control.events().at(-1)?.type).toBe('checkout.session.async_payment_failed');
  });

  it('expires by itself after a day, and on request', async () => {
    const { control, stripe } = await start();
    const [one, other] = [await stripe.checkout.sessions.create(TOP_UP), await stripe.checkout.sessions.create(TOP_UP)];
    await stripe.checkout.sessions.expire(other.id);
    expect(await stripe.checkout.sessions.retrieve(other.id)).toMatchObject({ status: 'expired', url: null });
    control.advance(86_400_000);
    expect(await stripe.checkout.sessions.retrieve(one.id)).toMatchObject({ status: 'expired' });
    expect(control.events().map(({ type }) => type)).toEqual(Array(2).fill('checkout.session.expired'));
    expect(await refusalOf(stripe.checkout.sessions.expire(one.id))).toMatchObject({ statusCode: 400 });
  });

  it('adds tax when the buyer pays', async () => {
    const { control, stripe } = await start();
    control.setTaxPercent(19);
    const session = await stripe.checkout.sessions.create({ ...TOP_UP, automatic_tax: { enabled: true } });
    control.pay(session.id);
    expect(await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent'] })).toMatchObject({
      amount_subtotal: 2_000,
      amount_total: 2_380,
      total_details: { amount_tax: 380 },
      payment_intent: { amount_received: 2_380 },
    });
  });

  it('is found by its payment', async () => {
    const { control, stripe } = await start();
    const session = await stripe.checkout.sessions.create(TOP_UP);
    await stripe.checkout.sessions.create(TOP_UP);
    control.pay(session.id);
    const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(session.id);
    const found = await stripe.checkout.sessions.list({ payment_intent: String(intent) });
    expect(found.data.map(({ id }) => id)).toEqual([session.id]);
  });
});
