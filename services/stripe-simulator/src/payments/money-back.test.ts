import { describe, expect, it } from 'vitest';
import { type Harness, refusalOf, TOP_UP, useSimulators } from '../../testing/harness.ts';

const start = useSimulators();

async function paid({ control, stripe }: Harness, instrument: 'card' | 'bank_debit' = 'card') {
  const session = await stripe.checkout.sessions.create(TOP_UP);
  control.pay(session.id, instrument);
  control.advance(10_000);
  const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['payment_intent'],
  });
  if (intent === null || typeof intent === 'string') throw new Error('the session has no payment');
  return { intent: intent.id, charge: String(intent.latest_charge) };
}

/** The types of the events since the payment. */
async function typesOf({ control }: Harness, act: () => Promise<unknown> | unknown): Promise<string[]> {
  const before = control.events().length;
  await act();
  return control
    .events()
    .slice(before)
    .map(({ type }) => type);
}

describe('a refund', () => {
  it('gives back parts, up to the whole', async () => {
    const harness = await start();
    const { stripe } = harness;
    const { intent, charge } = await paid(harness);
    const refund = await stripe.refunds.create({ payment_intent: intent, amount: 500, metadata: { a: 'b' } });
    expect(refund).toMatchObject({ status: 'succeeded', amount: 500, charge, metadata: { a: 'b' } });
    expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 500, refunded: false });
    expect(await refusalOf(stripe.refunds.create({ payment_intent: intent, amount: 1_501 }))).toMatchObject({
      param: 'amount',
    });
    expect(await typesOf(harness, () => stripe.refunds.create({ payment_intent: intent }))).toEqual([
      'refund.created',
      'charge.refunded',
    ]);
    expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 2_000, refunded: true });
    expect(await refusalOf(stripe.refunds.create({ payment_intent: intent }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const listed = await stripe.refunds.list({ payment_intent: intent });
    expect(listed.data.map(({ amount }) => amount)).toEqual([1_500, 500]);
  });

  it('can fail later, and the money is back', async () => {
    const harness = await start();
    const { control, stripe } = harness;
    const { intent, charge } = await paid(harness);
    const { id } = await stripe.refunds.create({ payment_intent: intent });
    expect(await typesOf(harness, () => control.failRefund(id))).toEqual([
      'refund.failed',
      'refund.updated',
      'charge.refund.updated',
      'charge.updated',
    ]);
    expect(await stripe.refunds.retrieve(id)).toMatchObject({
      status: 'failed',
      failure_reason: 'lost_or_stolen_card',
    });
    expect(await stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 0, refunded: false });
  });

  it('to a bank account is pending until it arrives', async () => {
    const harness = await start();
    const { control, stripe } = harness;
    const { intent } = await paid(harness, 'bank_debit');
    const refund = await stripe.refunds.create({ payment_intent: intent });
    expect(refund.status).toBe('pending');
    control.settleRefund(refund.id);
    expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('a dispute', () => {
  it.each([
    ['won', ['charge.dispute.closed', 'charge.dispute.funds_reinstated'], [-2_000, 2_000]],
    ['lost', ['charge.dispute.closed'], [-2_000]],
  ] as const)('that is %s moves money', async (end, types, amounts) => {
    const harness = await start();
    const { control, stripe } = harness;
    const { intent, charge } = await paid(harness);
    expect(await typesOf(harness, () => control.dispute(charge))).toEqual([
      'charge.dispute.created',
      'charge.updated',
      'charge.dispute.funds_withdrawn',
    ]);
    expect(await refusalOf(stripe.refunds.create({ payment_intent: intent }))).toMatchObject({
      code: 'charge_disputed',
    });
    const [dispute] = (await stripe.disputes.list({ payment_intent: intent })).data;
    expect(await typesOf(harness, () => control.closeDispute(dispute?.id ?? '', end))).toEqual(types);
    const closed = await stripe.disputes.retrieve(dispute?.id ?? '');
    expect(closed.status).toBe(end);
    expect(closed.balance_transactions.map(({ amount }) => amount)).toEqual(amounts);
  });

  it('that is only an inquiry moves none until it is escalated', async () => {
    const harness = await start();
    const { control, stripe } = harness;
    const { charge } = await paid(harness);
    const { id } = control.dispute(charge, { isWarning: true });
    expect(await stripe.disputes.retrieve(id)).toMatchObject({
      status: 'warning_needs_response',
      balance_transactions: [],
      is_charge_refundable: true,
    });
    expect(await typesOf(harness, () => control.escalateDispute(id))).toEqual([
      'charge.dispute.updated',
      'charge.dispute.funds_withdrawn',
    ]);
    expect(await stripe.disputes.retrieve(id)).toMatchObject({ status: 'needs_response' });
  });
});
