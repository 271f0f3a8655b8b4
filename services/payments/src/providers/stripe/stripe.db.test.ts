import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { findFreePort } from '@tollgate/local';
import { type Payment, PaymentMode, PaymentState } from '@tollgate/proto/payments';
import type { Control } from '@tollgate/stripe-simulator/control/control';
import { type StripeSimulator, startStripeSimulator } from '@tollgate/stripe-simulator/testing/start';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DOLLAR, type ServedPayments, servePayments } from '../../../testing/serve-payments.ts';
import { API_VERSION } from './client.ts';

const SECRET = 'whsec_thenewsecret';
const HOUR_MS = 3_600_000;
const offset = { ms: 0 };
let simulator: StripeSimulator;
let control: Control;
let payments: ServedPayments;
let accountId: string;

beforeAll(async () => {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/webhooks/stripe`;
  // Stripe signs with the old secret while it is rotated.
  simulator = await startStripeSimulator({ webhook: { url, secret: 'whsec_theoldsecret' }, secretKey: 'sk_test_abc' });
  ({ control } = simulator);
  const settings = { STRIPE_API_URL: simulator.url, STRIPE_WEBHOOK_SECRET: `${SECRET},whsec_theoldsecret` };
  payments = await servePayments({}, { ...settings, PORT: String(port), STRIPE_TAX: 'true' }, offset);
});
afterAll(async () => {
  await payments.stop();
  await simulator.stop();
});
beforeEach(() => {
  accountId = newId();
});
afterEach(() => {
  control.clearFaults();
  control.resumeWebhooks();
});

function pageOf(payment: Payment) {
  const page = control.objects().checkout_sessions.find((each) => each.client_reference_id === payment.paymentId);
  if (page === undefined) throw new Error('the payment has no page');
  return page;
}

/** A payment that was paid and booked by its events. */
async function settled(options: Parameters<ServedPayments['checkout']>[1] = {}): Promise<Payment> {
  const payment = await payments.checkout(accountId, options);
  control.pay(pageOf(payment).id);
  await control.delivered();
  return payments.get(accountId, payment.paymentId);
}

function chargeOf({ providerPayment }: Payment): string {
  return control.objects().charges.find((each) => each.payment_intent === providerPayment)?.id ?? '';
}

describe('a payment by Stripe', () => {
  it('is credited by its events, without taxes, and can be seen', async () => {
    control.setTaxPercent(19);
    const payment = await settled();
    control.setTaxPercent(0);
    expect(payment).toMatchObject({
      state: PaymentState.SETTLED,
      amountNanos: 100n * DOLLAR,
      creditedNanos: 100n * DOLLAR,
      method: 'visa 4242',
      failure: '',
      providerPayment: expect.stringMatching(/^pi_/),
    });
    expect(pageOf(payment).amount_total).toBe(11_900);
    expect(await payments.booked(accountId)).toEqual({ [`stripe:${payment.providerPayment}`]: 10_000 });
    // A part goes back with its taxes, and the rest exactly.
    await payments.refund(payment, 3_333n);
    await payments.refund(payment, 6_667n);
    await control.delivered();
    const refunded = control.objects().refunds.filter((each) => each.payment_intent === payment.providerPayment);
    expect(refunded.reduce((total, { amount }) => total + amount, 0)).toBe(11_900);
    expect(await payments.balanceOf(accountId)).toBe(0n);
  });

  it('is made with the version and the parameters that Stripe is meant to get', async () => {
    const payment = await payments.checkout(accountId, { saveMethod: true });
    const call = control.calls().findLast(({ path }) => path === '/v1/checkout/sessions');
    expect(JSON.stringify(call)).not.toContain('payment_method_types');
    expect(JSON.stringify(call)).toContain(payment.paymentId);
    const page = pageOf(payment);
    const topUp = `https://console.example.com/accounts/${accountId}/top-up`;
    expect(page).toMatchObject({
      mode: 'payment',
      currency: 'usd',
      amount_total: 10_000,
      success_url: `${topUp}?payment=${payment.paymentId}`,
      cancel_url: `${topUp}?cancelled=${payment.paymentId}`,
      automatic_tax: { enabled: true },
      invoice_creation: { enabled: true },
      metadata: {
        tollgate_installation: payments.deps.installationId(),
        tollgate_account: accountId,
        tollgate_payment: payment.paymentId,
        tollgate_credit_nanos: '100000000000',
      },
    });
    expect(page.url).toBe(payment.checkoutUrl);
    expect(API_VERSION).toBe('2026-10-28.endive');
  });

  it('shows why it was declined, and can be paid with another card', async () => {
    const payment = await payments.checkout(accountId);
    control.pay(pageOf(payment).id, 'declined');
    await control.delivered();
    expect(await payments.get(accountId, payment.paymentId)).toMatchObject({
      state: PaymentState.PENDING,
      failure: 'insufficient_funds',
      checkoutUrl: payment.checkoutUrl,
    });
    control.pay(pageOf(payment).id);
    await control.delivered();
    expect(await payments.get(accountId, payment.paymentId)).toMatchObject({
      state: PaymentState.SETTLED,
      failure: '',
    });
  });

  it.each([
    ['bank_debit', PaymentState.SETTLED],
    ['bank_debit_fails', PaymentState.FAILED],
  ] as const)('of a %s is pending until the bank has answered', async (instrument, state) => {
    const payment = await payments.checkout(accountId);
    control.pay(pageOf(payment).id, instrument);
    await control.delivered();
    const pending = await payments.get(accountId, payment.paymentId);
    expect(pending).toMatchObject({ state: PaymentState.PENDING, creditedNanos: 0n });
    if (instrument === 'bank_debit') control.settle(pending.providerPayment);
    else control.failSettlement(pending.providerPayment);
    await control.delivered();
    payments.pass(3_001);
    expect(await payments.get(accountId, payment.paymentId)).toMatchObject({ state });
  });

  it('is credited once, with its events lost, repeated and in any order', async () => {
    control.holdWebhooks();
    const payment = await payments.checkout(accountId);
    control.pay(pageOf(payment).id);
    const [first, ...others] = control.waitingEvents().map(({ id }) => id);
    for (const id of others.reverse()) {
      expect(await control.deliver(id)).toMatchObject({ status: 200 });
      expect(await control.deliver(id)).toMatchObject({ status: 200 });
    }
    if (first !== undefined) control.drop(first);
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('is credited when somebody looks at it, and by the reconciler, without any event', async () => {
    control.holdWebhooks();
    const seen = await payments.checkout(accountId);
    control.pay(pageOf(seen).id);
    expect(await payments.get(accountId, seen.paymentId)).toMatchObject({ state: PaymentState.SETTLED });
    const unseen = await payments.checkout(accountId);
    control.pay(pageOf(unseen).id);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(200n * DOLLAR);
    for (const { id } of control.waitingEvents()) control.drop(id);
  });

  it('is one page, although answers of Stripe were lost', async () => {
    const idempotencyKey = newId();
    const path = '/v1/checkout/sessions';
    control.fail({ kind: 'lose_response' }, { path, times: 2 });
    const failing = payments.checkout(accountId, { idempotencyKey });
    await expect(failing).rejects.toMatchObject({ code: status.UNAVAILABLE });
    const payment = await payments.checkout(accountId, { idempotencyKey });
    const pages = control.objects().checkout_sessions.filter((each) => each.client_reference_id === payment.paymentId);
    expect(pages.map(({ url }) => url)).toEqual([payment.checkoutUrl]);
  });

  it('ends with its page', async () => {
    const payment = await payments.checkout(accountId);
    control.advance(3 * HOUR_MS);
    payments.pass(3 * HOUR_MS);
    await control.delivered();
    expect(await payments.get(accountId, payment.paymentId)).toMatchObject({ state: PaymentState.FAILED, failure: '' });
  });
});

describe('money that Stripe gives back', () => {
  it('by the dashboard, by disputes, and by refunds that fail', async () => {
    const payment = await settled();
    await payments.refund(payment, 2_000n);
    await control.delivered();
    const [refund] = control.objects().refunds.filter((each) => each.payment_intent === payment.providerPayment);
    control.failRefund(refund?.id ?? '');
    await control.delivered();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
    const dispute = control.dispute(chargeOf(payment));
    await control.delivered();
    expect(await payments.get(accountId, payment.paymentId)).toMatchObject({ disputedNanos: 100n * DOLLAR });
    expect(await payments.balanceOf(accountId)).toBe(0n);
    control.closeDispute(dispute.id, 'won');
    await control.delivered();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
    expect(await payments.get(accountId, payment.paymentId)).toMatchObject({ disputedNanos: 0n, refundedNanos: 0n });
  });

  it('only once an inquiry has become a dispute', async () => {
    const payment = await settled();
    const inquiry = control.dispute(chargeOf(payment), { isWarning: true });
    await control.delivered();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
    control.escalateDispute(inquiry.id);
    await control.delivered();
    expect(await payments.balanceOf(accountId)).toBe(0n);
  });

  it('of a refund that Stripe refuses, the credit returns', async () => {
    const payment = await settled();
    control.holdWebhooks();
    control.dispute(chargeOf(payment), { amount: 5_000 });
    await expect(payments.refund(payment, 10_000n)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: expect.stringMatching(/^the payment provider refuses the refund: charge_/),
    });
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
    control.resumeWebhooks();
    await control.delivered();
    expect(await payments.balanceOf(accountId)).toBe(50n * DOLLAR);
  });

  it.each(['lose_request', 'lose_response', 'recorded_error'] as const)('once, after %s', async (kind) => {
    const payment = await settled();
    control.fail({ kind }, { method: 'POST', path: '/v1/refunds', times: 2 });
    expect(await payments.refund(payment, 2_500n)).toMatchObject({ refundedNanos: 25n * DOLLAR });
    payments.pass(HOUR_MS);
    control.advance(HOUR_MS);
    await payments.reconcile();
    await control.delivered();
    const refunds = control.objects().refunds.filter((each) => each.payment_intent === payment.providerPayment);
    expect(refunds.map(({ amount }) => amount)).toEqual([2_500]);
    expect(await payments.balanceOf(accountId)).toBe(75n * DOLLAR);
  });
});

describe('cards', () => {
  it('are saved with consent, listed and removed', async () => {
    const { client } = payments;
    await settled({ saveMethod: true });
    const call = { deadlineMs: 20_000, actorToken: await payments.tokenOf(accountId) };
    const list = async () => (await unaryCall(client.listPaymentMethods.bind(client), { accountId }, call)).data;
    const [card] = await list();
    expect(card).toMatchObject({ brand: 'visa', last4: '4242', methodId: expect.stringMatching(/^pm_/) });
    const stranger = newId();
    const other = { deadlineMs: 20_000, actorToken: await payments.tokenOf(stranger) };
    const remove = client.removePaymentMethod.bind(client);
    await payments.checkout(stranger);
    await expect(
      unaryCall(remove, { accountId: stranger, methodId: card?.methodId ?? '' }, other),
    ).rejects.toMatchObject({ code: status.NOT_FOUND });
    await unaryCall(remove, { accountId, methodId: card?.methodId ?? '' }, call);
    expect(await list()).toEqual([]);
    const { mode } = await unaryCall(client.getPaymentOptions.bind(client), { accountId }, call);
    expect(mode).toBe(PaymentMode.SIMULATED);
  });
});

it('counts cards that failed at its page', async () => {
  const payment = await payments.checkout(accountId);
  for (let count = 0; count < 3; count += 1) control.pay(pageOf(payment).id, 'declined');
  control.pay(pageOf(payment).id);
  await control.delivered();
  const { client } = payments;
  const actorToken = await payments.tokenOf(accountId, { role: 'operator', accountId: undefined });
  const limits = await unaryCall(
    client.getPaymentLimits.bind(client),
    { accountId },
    { deadlineMs: 20_000, actorToken },
  );
  expect(limits).toMatchObject({ failedCards: 3, usedNanos: 100n * DOLLAR, refusedUntilMs: 0n });
});
