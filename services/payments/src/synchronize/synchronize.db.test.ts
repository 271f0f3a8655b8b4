import { newId } from '@tollgate/common/ids';
import { PaymentState } from '@tollgate/proto/payments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryProvider } from '../../testing/memory-provider.ts';
import { DOLLAR, type ServedPayments, servePayments } from '../../testing/serve-payments.ts';
import { createSynchronize } from './synchronize.ts';

const offset = { ms: 0 };
const provider = new MemoryProvider({ now: () => Date.now() + offset.ms });
let payments: ServedPayments;

beforeAll(async () => {
  payments = await servePayments({ provider }, {}, offset);
});
afterAll(() => payments.stop());

/** A payment that was paid, not booked yet. */
async function paid(accountId = newId()) {
  const payment = await payments.checkout(accountId);
  const checkout = provider.checkouts.find(({ options }) => options.origin.paymentId === payment.paymentId);
  const providerPayment = provider.pay(checkout?.id ?? '');
  return { accountId, paymentId: payment.paymentId, checkoutId: checkout?.id ?? '', providerPayment };
}

/** What is found meanwhile. */
async function foundBy(work: () => Promise<unknown>): Promise<string[]> {
  const found: string[] = [];
  const { report } = payments.deps.findings;
  payments.deps.findings.report = (name) => found.push(name);
  await work().finally(() => {
    payments.deps.findings.report = report;
  });
  return found;
}

const synchronize = (ref: Parameters<typeof payments.deps.synchronize>[0]) => payments.deps.synchronize(ref);

describe('synchronize', () => {
  it('credits a payment once, whichever of its ids is heard of and however often', async () => {
    const { accountId, paymentId, checkoutId, providerPayment } = await paid();
    expect(await synchronize({ checkoutId })).toBe(1);
    expect(await synchronize({ providerPayment })).toBe(0);
    expect(await synchronize({ checkoutId, providerPayment })).toBe(0);
    expect(await payments.booked(accountId)).toEqual({ [`stripe:${providerPayment}`]: 10_000 });
    expect(await payments.get(accountId, paymentId)).toMatchObject({
      state: PaymentState.SETTLED,
      creditedNanos: 100n * DOLLAR,
      method: 'visa 4242',
      checkoutUrl: '',
      providerPayment,
    });
  });

  it('credits a payment once when many hear of it at once', async () => {
    const { accountId, checkoutId, providerPayment } = await paid();
    const refs = [{ checkoutId }, { providerPayment }, { providerPayment }, { checkoutId }];
    const booked = await Promise.all(refs.map(synchronize));
    expect(booked.reduce((total, each) => total + each, 0)).toBe(1);
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('follows refunds and disputes of the dashboard, back and forth', async () => {
    const { accountId, paymentId, providerPayment } = await paid();
    const refund = provider.addRefund(providerPayment, { cents: 2_500n, state: 'pending' });
    const dispute = provider.addDispute(providerPayment, { cents: 7_500n });
    expect(await synchronize({ providerPayment })).toBe(3);
    expect(await payments.balanceOf(accountId)).toBe(0n);
    provider.changeRefund(refund, 'failed');
    provider.changeDispute(dispute, { won: true, open: false });
    expect(await synchronize({ providerPayment })).toBe(2);
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
    expect(await payments.get(accountId, paymentId)).toMatchObject({ refundedNanos: 0n, disputedNanos: 0n });
  });

  it('does not record an older answer after a newer one', async () => {
    const { accountId, providerPayment } = await paid();
    const refund = provider.addRefund(providerPayment, { cents: 2_500n, state: 'pending' });
    const older = await provider.fetch({ providerPayment });
    await synchronize({ providerPayment });
    provider.changeRefund(refund, 'failed');
    const { fetch } = provider;
    let isFirst = true;
    provider.fetch = async (ref) => {
      if (!isFirst) return fetch.call(provider, ref);
      isFirst = false;
      // Meanwhile, another replica records the failure.
      await createSynchronize(payments.deps)({ providerPayment });
      return older;
    };
    // The older answer would take the refund again.
    expect(await foundBy(() => synchronize({ providerPayment }))).toEqual([]);
    provider.fetch = fetch;
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('books a payment by its metadata when its row is lost, and makes the row again', async () => {
    const { accountId, paymentId, providerPayment } = await paid();
    await synchronize({ providerPayment });
    await payments.deps.pool.query('DELETE FROM payments.payments WHERE account_id = $1', [accountId]);
    await payments.deps.pool.query('DELETE FROM payments.movements WHERE account_id = $1', [accountId]);
    provider.addRefund(providerPayment, { cents: 4_000n });
    await synchronize({ providerPayment });
    expect(await payments.balanceOf(accountId)).toBe(60n * DOLLAR);
    expect(await payments.get(accountId, paymentId)).toMatchObject({
      state: PaymentState.SETTLED,
      amountNanos: 100n * DOLLAR,
      refundedNanos: 40n * DOLLAR,
    });
  });

  it('ignores payments of other installations and of other programs', async () => {
    const origin = { installationId: newId(), accountId: newId(), paymentId: newId(), creditNanos: 100n * DOLLAR };
    const others = [provider.addPayment({ origin }), provider.addPayment()];
    for (const providerPayment of others) expect(await synchronize({ providerPayment })).toBe(0);
    expect(await payments.booked(origin.accountId)).toEqual({});
    expect(await synchronize({ providerPayment: 'pi_unknown' })).toBe(0);
  });

  it.each([
    ['currency', { currency: 'eur' }],
    ['amount', { cents: 5_000n, receivedCents: 5_000n }],
    ['credit', 'other credit'],
    ['malformed_metadata', { origin: 'malformed' as const }],
  ])('does not book what contradicts the row: %s', async (finding, changes) => {
    const { accountId, paymentId, providerPayment } = await paid();
    const installationId = payments.deps.installationId();
    const origin = { installationId, accountId, paymentId, creditNanos: 99n * DOLLAR };
    provider.change(providerPayment, typeof changes === 'string' ? { origin } : changes);
    expect(await foundBy(() => synchronize({ providerPayment }))).toEqual([finding]);
    expect(await payments.booked(accountId)).toEqual({});
  });

  it('does not book a second payment for one page', async () => {
    const { accountId, paymentId, providerPayment } = await paid();
    await synchronize({ providerPayment });
    const installationId = payments.deps.installationId();
    const second = provider.addPayment({
      origin: { installationId, accountId, paymentId, creditNanos: 100n * DOLLAR },
    });
    expect(await foundBy(() => synchronize({ providerPayment: second }))).toEqual(['second_payment']);
    expect(await payments.booked(accountId)).toEqual({ [`stripe:${providerPayment}`]: 10_000 });
  });

  it('settles a payment only once the ledger has its credit', async () => {
    const { accountId, paymentId, checkoutId, providerPayment } = await paid();
    const refusing = createSynchronize({ ...payments.deps, book: async () => 'refused' });
    expect(await foundBy(() => refusing({ checkoutId }))).toEqual(['refused_by_ledger']);
    const { rows } = await payments.deps.pool.query('SELECT state FROM payments.payments WHERE payment_id = $1', [
      paymentId,
    ]);
    expect(rows).toEqual([{ state: 'pending' }]);
    await synchronize({ providerPayment });
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('ends a payment whose page expired, and shows why the last attempt failed', async () => {
    const accountId = newId();
    const { paymentId } = await payments.checkout(accountId);
    const checkoutId = provider.checkouts.at(-1)?.id ?? '';
    provider.pay(checkoutId, { state: 'unpaid', receivedCents: 0n, failure: 'insufficient_funds' });
    await synchronize({ checkoutId });
    expect(await payments.get(accountId, paymentId)).toMatchObject({
      state: PaymentState.PENDING,
      failure: 'insufficient_funds',
      checkoutUrl: expect.stringContaining('https://'),
    });
    provider.expire(checkoutId);
    await synchronize({ checkoutId });
    expect(await payments.get(accountId, paymentId)).toMatchObject({
      state: PaymentState.FAILED,
      failure: 'insufficient_funds',
      checkoutUrl: '',
    });
  });

  it('ends a payment that the provider does not know, once its page could not be paid any more', async () => {
    const accountId = newId();
    const { paymentId } = await payments.checkout(accountId);
    const checkoutId = provider.checkouts.at(-1)?.id ?? '';
    provider.forget(checkoutId);
    expect(await synchronize({ checkoutId })).toBe(0);
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.PENDING });
    offset.ms += 2 * 3_600_000;
    expect(await synchronize({ checkoutId })).toBe(0);
    offset.ms = 0;
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.FAILED, failure: 'expired' });
  });
});
