import { newId } from '@tollgate/common/ids';
import { PaymentState } from '@tollgate/proto/payments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryProvider } from '../../testing/memory-provider.ts';
import { DOLLAR, type ServedPayments, servePayments } from '../../testing/serve-payments.ts';
import { readListPosition } from '../store/provider-state.ts';
import { createSynchronize } from '../synchronize/synchronize.ts';
import { createReconciler } from './reconcile.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const offset = { ms: 0 };
const provider = new MemoryProvider({ now: () => Date.now() + offset.ms });
let payments: ServedPayments;

beforeAll(async () => {
  payments = await servePayments({ provider }, { PAYMENT_DAILY_LIMIT: '5000' }, offset);
});
afterAll(() => payments.stop());

async function begun() {
  const accountId = newId();
  const { paymentId } = await payments.checkout(accountId);
  const page = provider.checkouts.find(({ options }) => options.origin.paymentId === paymentId);
  return { accountId, paymentId, checkoutId: page?.id ?? '' };
}

/** Until nothing of before is listed any more. */
async function passListed(): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    payments.pass(3 * HOUR_MS);
    await payments.reconcile();
  }
}

describe('the reconciler', () => {
  it('books payments, refunds and disputes of which no event told', async () => {
    const { accountId, paymentId, checkoutId } = await begun();
    const providerPayment = provider.pay(checkoutId);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
    provider.addRefund(providerPayment, { cents: 1_000n });
    const dispute = provider.addDispute(providerPayment, { cents: 9_000n });
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(0n);
    // An old dispute is not listed any more, and its payment is looked at as long as it is open.
    payments.pass(40 * 24 * HOUR_MS);
    await payments.reconcile();
    provider.changeDispute(dispute, { won: true, open: false });
    payments.pass(24 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(90n * DOLLAR);
    expect(await payments.get(accountId, paymentId)).toMatchObject({ disputedNanos: 0n, refundedNanos: 10n * DOLLAR });
  });

  it('books a payment that the lists of the provider lacked at first', async () => {
    const { accountId, checkoutId } = await begun();
    payments.pass(30 * MINUTE_MS);
    await payments.reconcile();
    payments.pass(-10 * MINUTE_MS);
    const providerPayment = provider.pay(checkoutId);
    payments.pass(11 * MINUTE_MS);
    // Only by the lists: the payment itself is not due.
    await payments.deps.pool.query('UPDATE payments.payments SET next_check_ms = NULL WHERE account_id = $1', [
      accountId,
    ]);
    await payments.reconcile();
    expect(await payments.booked(accountId)).toEqual({ [`stripe:${providerPayment}`]: 10_000 });
  });

  it('takes an inquiry of which no event told when it becomes a dispute', async () => {
    const { accountId, checkoutId } = await begun();
    const providerPayment = provider.pay(checkoutId);
    await payments.reconcile();
    const dispute = provider.addDispute(providerPayment, { cents: 4_000n, withdrawn: false });
    await payments.reconcile();
    payments.pass(3 * HOUR_MS);
    await payments.reconcile();
    provider.changeDispute(dispute, { withdrawn: true });
    payments.pass(24 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(60n * DOLLAR);
  });

  it('gives a refund back that fails days after it was made, although no event tells', async () => {
    const { accountId, checkoutId } = await begun();
    const providerPayment = provider.pay(checkoutId);
    await payments.reconcile();
    const refund = provider.addRefund(providerPayment, { cents: 4_000n });
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(60n * DOLLAR);
    payments.pass(5 * 24 * HOUR_MS);
    await payments.reconcile();
    provider.changeRefund(refund, 'failed');
    payments.pass(2 * 24 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('follows a dispute that another replica took while a payment was booked', async () => {
    const { accountId, checkoutId } = await begun();
    const providerPayment = provider.pay(checkoutId);
    const { deps } = payments;
    let dispute = '';
    const slow = createSynchronize({
      ...deps,
      book: async (...args) => {
        const booking = await deps.book(...args);
        dispute = provider.addDispute(providerPayment, { cents: 4_000n });
        await createSynchronize(deps)({ providerPayment });
        return booking;
      },
    });
    await slow({ providerPayment });
    expect(await payments.balanceOf(accountId)).toBe(60n * DOLLAR);
    await passListed();
    provider.changeDispute(dispute, { won: true, open: false });
    payments.pass(25 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('gives a refund back that fails later, although its payment could not be looked at when it was made', async () => {
    const { accountId, paymentId, checkoutId } = await begun();
    const providerPayment = provider.pay(checkoutId);
    await payments.reconcile();
    const payment = await payments.get(accountId, paymentId);
    provider.loseNext('fetch', 'before');
    await payments.refund(payment, 4_000n);
    expect(provider.refundsOf(providerPayment)).toHaveLength(1);
    expect(await payments.balanceOf(accountId)).toBe(60n * DOLLAR);
    payments.pass(2 * MINUTE_MS);
    await payments.reconcile();
    await passListed();
    provider.changeRefund(provider.refundsOf(providerPayment)[0]?.id ?? '', 'failed');
    payments.pass(2 * 24 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('follows money that is held for a payment whose page has ended, until it is captured', async () => {
    const { accountId, paymentId, checkoutId } = await begun();
    provider.expire(checkoutId);
    payments.pass(2 * MINUTE_MS);
    await payments.reconcile();
    const origin = { installationId: payments.deps.installationId(), accountId, paymentId, creditNanos: 100n * DOLLAR };
    const held = provider.addPayment({ origin, state: 'processing', receivedCents: 0n });
    await payments.reconcile();
    await passListed();
    provider.change(held, { state: 'succeeded', receivedCents: 10_000n });
    payments.pass(13 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.booked(accountId)).toEqual({ [`stripe:${held}`]: 10_000 });
  });

  it('asks nothing more of what is booked', async () => {
    const { checkoutId } = await begun();
    provider.pay(checkoutId);
    await payments.reconcile();
    const before = provider.calls.filter((call) => call === 'fetch').length;
    await payments.reconcile();
    expect(provider.calls.filter((call) => call === 'fetch').length).toBe(before);
  });

  it('ends pages that expired, and payments that have no page', async () => {
    const expired = await begun();
    provider.expire(expired.checkoutId);
    const accountId = newId();
    provider.loseNext('createCheckout', 'after');
    const idempotencyKey = newId();
    await expect(payments.checkout(accountId, { idempotencyKey })).rejects.toThrow('cannot be reached');
    payments.pass(2 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.get(expired.accountId, expired.paymentId)).toMatchObject({ state: PaymentState.FAILED });
    expect(await payments.checkout(accountId, { idempotencyKey })).toMatchObject({ state: PaymentState.FAILED });
  });

  it('follows a payment for which the bank takes days', async () => {
    const { accountId, paymentId, checkoutId } = await begun();
    const providerPayment = provider.pay(checkoutId, { state: 'processing', receivedCents: 0n });
    payments.pass(2 * MINUTE_MS);
    await payments.reconcile();
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.PENDING });
    payments.pass(5 * 24 * HOUR_MS);
    await payments.reconcile();
    provider.change(providerPayment, { state: 'succeeded', receivedCents: 10_000n });
    payments.pass(13 * HOUR_MS);
    await payments.reconcile();
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.SETTLED });
  });

  it('lists page by page, over several passes, and then only what is new', async () => {
    payments.pass(3 * HOUR_MS);
    await payments.reconcile();
    provider.pageSize = 2;
    const origins = Array.from({ length: 45 }, () => ({
      installationId: payments.deps.installationId(),
      accountId: newId(),
      paymentId: newId(),
      creditNanos: 100n * DOLLAR,
    }));
    for (const origin of origins) provider.addPayment({ origin });
    const counted = () =>
      payments.deps.pool
        .query<{ count: number }>(
          'SELECT count(*)::int FROM payments.payments WHERE account_id = ANY($1) AND state = $2',
          [origins.map(({ accountId }) => accountId), 'settled'],
        )
        .then(({ rows }) => rows[0]?.count);
    const { cursorMs } = await readListPosition(payments.deps.pool, 'payment');
    payments.pass(MINUTE_MS);
    await payments.reconcile();
    // Ten pages in a pass: the window is not complete, so the cursor stays.
    expect(await counted()).toBe(20);
    expect(await readListPosition(payments.deps.pool, 'payment')).toMatchObject({ cursorMs });
    for (let count = 0; count < 2; count += 1) {
      payments.pass(MINUTE_MS);
      await payments.reconcile();
    }
    expect(await counted()).toBe(45);
    expect((await readListPosition(payments.deps.pool, 'payment')).cursorMs).toBeGreaterThan(cursorMs);
    provider.pageSize = 100;
  });

  it('keeps its place while the provider or the ledger fails, and does the rest', async () => {
    const { accountId, checkoutId } = await begun();
    provider.pay(checkoutId);
    const before = await readListPosition(payments.deps.pool, 'payment');
    provider.loseNext('listSince', 'before');
    payments.pass(2 * MINUTE_MS);
    await expect(payments.reconcile()).rejects.toThrow('the connection was lost');
    expect(await readListPosition(payments.deps.pool, 'payment')).toEqual(before);
    // Its own row was looked at nevertheless.
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('runs on one replica at a time', async () => {
    const reconciler = () => createReconciler({ ...payments.deps, refunds: payments.deps, random: () => 0.5 });
    await payments.deps.pool.query('UPDATE payments.provider_state SET next_pass_ms = 0');
    const listed = () => provider.calls.filter((call) => call === 'listSince').length;
    const before = listed();
    const { signal } = new AbortController();
    await Promise.all([reconciler()(signal), reconciler()(signal), reconciler()(signal)]);
    expect(listed()).toBe(before + 3);
  });
});
