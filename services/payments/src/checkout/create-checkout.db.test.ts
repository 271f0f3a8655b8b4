import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { PaymentMode, PaymentState } from '@tollgate/proto/payments';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MemoryProvider } from '../../testing/memory-provider.ts';
import { DOLLAR, type ServedPayments, servePayments } from '../../testing/serve-payments.ts';
import { ProviderError } from '../providers/provider.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const offset = { ms: 0 };
const provider = new MemoryProvider({ now: () => Date.now() + offset.ms });
let payments: ServedPayments;
let accountId: string;

beforeAll(async () => {
  payments = await servePayments({ provider }, {}, offset);
});
afterAll(() => payments.stop());
beforeEach(() => {
  accountId = newId();
});

const pagesOf = (paymentId: string) =>
  provider.checkouts.filter(({ options }) => options.origin.paymentId === paymentId);

async function pay(paymentId: string) {
  const providerPayment = provider.pay(pagesOf(paymentId)[0]?.id ?? '');
  await payments.deps.synchronize({ providerPayment });
  return providerPayment;
}

async function options() {
  const { client } = payments;
  const actorToken = await payments.tokenOf(accountId);
  return unaryCall(client.getPaymentOptions.bind(client), { accountId }, { deadlineMs: 10_000, actorToken });
}

describe('createCheckout', () => {
  it('makes a page that names the payment, for the customer of the account', async () => {
    const payment = await payments.checkout(accountId, { amountNanos: 20n * DOLLAR, saveMethod: true });
    expect(payment).toMatchObject({
      state: PaymentState.PENDING,
      amountNanos: 20n * DOLLAR,
      creditedNanos: 0n,
      createdBy: 'ann@example.com',
      checkoutUrl: expect.stringMatching(/^https:\/\/pay\.test\/cs_/),
    });
    const topUp = `https://console.example.com/accounts/${accountId}/top-up`;
    expect(pagesOf(payment.paymentId).map((page) => page.options)).toMatchObject([
      {
        origin: { installationId: payments.deps.installationId(), accountId, creditNanos: 20n * DOLLAR },
        amountCents: 2_000n,
        saveMethod: true,
        successUrl: `${topUp}?payment=${payment.paymentId}`,
        cancelUrl: `${topUp}?cancelled=${payment.paymentId}`,
      },
    ]);
    const other = await payments.checkout(accountId);
    const customers = [payment, other].map(({ paymentId }) => pagesOf(paymentId)[0]?.options.customerId);
    expect(new Set(customers).size).toBe(1);
  });

  it('returns the same payment for the same key, and refuses the key with other input', async () => {
    const idempotencyKey = newId();
    const payment = await payments.checkout(accountId, { idempotencyKey });
    expect(await payments.checkout(accountId, { idempotencyKey })).toEqual(payment);
    for (const other of [{ amountNanos: 20n * DOLLAR }, { saveMethod: true }]) {
      const call = payments.checkout(accountId, { idempotencyKey, ...other });
      await expect(call).rejects.toMatchObject({ code: status.ALREADY_EXISTS });
    }
  });

  it('makes one page of concurrent calls with one key', async () => {
    const idempotencyKey = newId();
    const made = await Promise.all([1, 2, 3].map(() => payments.checkout(accountId, { idempotencyKey })));
    expect(new Set(made.map(({ checkoutUrl }) => checkoutUrl)).size).toBe(1);
  });

  it.each([
    ['createCustomer', 'before'],
    ['createCustomer', 'after'],
    ['createCheckout', 'before'],
    ['createCheckout', 'after'],
  ] as const)('continues with the same key after %s failed %s it was done', async (method, when) => {
    const idempotencyKey = newId();
    provider.loseNext(method, when);
    const failing = payments.checkout(accountId, { idempotencyKey });
    await expect(failing).rejects.toMatchObject({ code: status.UNAVAILABLE });
    const payment = await payments.checkout(accountId, { idempotencyKey });
    expect(payment.checkoutUrl).not.toBe('');
    expect(pagesOf(payment.paymentId)).toHaveLength(1);
    const { rows } = await payments.deps.pool.query('SELECT 1 FROM payments.payments WHERE account_id = $1', [
      accountId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('makes no page of a payment that was begun long ago', async () => {
    const idempotencyKey = newId();
    provider.loseNext('createCheckout', 'before');
    await expect(payments.checkout(accountId, { idempotencyKey })).rejects.toMatchObject({ code: status.UNAVAILABLE });
    payments.pass(2 * HOUR_MS);
    const payment = await payments.checkout(accountId, { idempotencyKey });
    expect(payment).toMatchObject({ state: PaymentState.FAILED, checkoutUrl: '', failure: 'expired' });
    expect(pagesOf(payment.paymentId)).toEqual([]);
  });

  it('ends a payment that the provider refuses', async () => {
    const idempotencyKey = newId();
    const error = new ProviderError('refused', 'parameter_invalid', 'Stripe: no');
    provider.failNext('createCheckout', { when: 'before', error });
    const failing = payments.checkout(accountId, { idempotencyKey });
    await expect(failing).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(await payments.checkout(accountId, { idempotencyKey })).toMatchObject({ state: PaymentState.FAILED });
  });

  it('makes the customer again if the provider has none any more', async () => {
    await payments.checkout(accountId);
    const error = new ProviderError('no_customer', 'resource_missing', 'Stripe: no such customer');
    provider.failNext('createCheckout', { when: 'before', error });
    const { paymentId } = await payments.checkout(accountId);
    const next = await payments.checkout(accountId);
    const customerOf = (id: string) => pagesOf(id)[0]?.options.customerId;
    expect(customerOf(next.paymentId)).toBe(customerOf(paymentId));
  });

  it.each([
    [4n * DOLLAR, 'amount_nanos: must be 5 to 5000 USD'],
    [5_001n * DOLLAR, 'amount_nanos: must be 5 to 5000 USD'],
    [20n * DOLLAR + 1n, 'amount_nanos: must be in whole cents'],
    [0n, 'amount_nanos: must be more than 0'],
  ])('refuses the amount %s', async (amountNanos, details) => {
    const call = payments.checkout(accountId, { amountNanos });
    await expect(call).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details });
  });
});

describe('limits', () => {
  it('of an account: ten payments an hour', async () => {
    for (let count = 0; count < 10; count += 1) await payments.checkout(accountId, { amountNanos: 5n * DOLLAR });
    await expect(payments.checkout(accountId)).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'an account can begin 10 payments an hour',
    });
    payments.pass(HOUR_MS + 1_000);
    await payments.checkout(accountId);
  });

  it('of a person: twenty payments an hour, in all accounts', async () => {
    const personId = newId();
    for (let count = 0; count < 20; count += 1) await payments.checkout(newId(), { personId });
    await expect(payments.checkout(accountId, { personId })).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'a person can begin 20 payments an hour',
    });
    await payments.checkout(accountId);
  });

  it('of a day: the base and what was paid a week ago and not given back', async () => {
    const first = await payments.checkout(accountId, { amountNanos: 300n * DOLLAR });
    const providerPayment = await pay(first.paymentId);
    await expect(payments.checkout(accountId, { amountNanos: 201n * DOLLAR })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'amount_nanos: the account may pay in 200 USD more within 24 hours',
    });
    await payments.checkout(accountId, { amountNanos: 200n * DOLLAR });
    expect(await options()).toMatchObject({ dailyLimitNanos: 500n * DOLLAR, dailyLeftNanos: 0n });
    payments.pass(8 * DAY_MS);
    expect(await options()).toMatchObject({ dailyLimitNanos: 800n * DOLLAR, dailyLeftNanos: 800n * DOLLAR });
    provider.addRefund(providerPayment, { cents: 10_000n });
    await payments.deps.synchronize({ providerPayment });
    expect(await options()).toMatchObject({ dailyLimitNanos: 700n * DOLLAR });
    await payments.deps.pool.query('UPDATE payments.accounts SET daily_limit_nanos = $2 WHERE account_id = $1', [
      accountId,
      3_000n * DOLLAR,
    ]);
    expect(await options()).toMatchObject({
      mode: PaymentMode.TEST,
      offeredAmountsNanos: [20n, 50n, 100n, 500n].map((dollars) => dollars * DOLLAR),
      minAmountNanos: 5n * DOLLAR,
      maxAmountNanos: 5_000n * DOLLAR,
      dailyLimitNanos: 3_000n * DOLLAR,
    });
  });
});

describe('getPayment and listPayments', () => {
  it('asks the provider about a pending payment, at most every three seconds', async () => {
    const { paymentId } = await payments.checkout(accountId);
    const asked = () => provider.calls.filter((call) => call === 'fetch').length;
    const before = asked();
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.PENDING });
    provider.pay(pagesOf(paymentId)[0]?.id ?? '');
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.PENDING });
    expect(asked()).toBe(before + 1);
    payments.pass(3_001);
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.SETTLED });
    payments.pass(3_001);
    await payments.get(accountId, paymentId);
    expect(asked()).toBe(before + 2);
  });

  it('shows what is known while the provider does not answer', async () => {
    const { paymentId } = await payments.checkout(accountId);
    provider.loseNext('fetch', 'before');
    expect(await payments.get(accountId, paymentId)).toMatchObject({ state: PaymentState.PENDING });
    await expect(payments.get(newId(), paymentId)).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('lists payments in pages, newest first', async () => {
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) made.unshift((await payments.checkout(accountId)).paymentId);
    await pay(made[1] ?? '');
    const { client } = payments;
    const actorToken = await payments.tokenOf(accountId);
    const page = (cursor: string) =>
      unaryCall(client.listPayments.bind(client), { accountId, limit: 2, cursor }, { deadlineMs: 10_000, actorToken });
    const first = await page('');
    const second = await page(first.nextCursor);
    expect([...first.data, ...second.data].map(({ paymentId }) => paymentId)).toEqual(made);
    expect(first.data.map(({ creditedNanos }) => creditedNanos)).toEqual([0n, 100n * DOLLAR]);
    expect(second.nextCursor).toBe('');
    await expect(page('nonsense')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

describe('saved cards', () => {
  it('are listed and removed, with an entry in the audit log', async () => {
    const { client } = payments;
    const call = { deadlineMs: 10_000, actorToken: await payments.tokenOf(accountId) };
    const list = () => unaryCall(client.listPaymentMethods.bind(client), { accountId }, call);
    const remove = (methodId: string) =>
      unaryCall(client.removePaymentMethod.bind(client), { accountId, methodId }, call);
    expect(await list()).toEqual({ data: [] });
    await expect(remove('pm_1')).rejects.toMatchObject({ code: status.NOT_FOUND });
    const { paymentId } = await payments.checkout(accountId);
    const customerId = pagesOf(paymentId)[0]?.options.customerId ?? '';
    const card = { brand: 'visa', last4: '4242', expiresMonth: 12, expiresYear: 2030 };
    provider.methods.set(customerId, [{ id: 'pm_1', ...card }]);
    expect(await list()).toEqual({ data: [{ methodId: 'pm_1', ...card }] });
    provider.loseNext('removeMethod', 'before');
    await expect(remove('pm_1')).rejects.toMatchObject({ code: status.UNAVAILABLE });
    await remove('pm_1');
    expect(await list()).toEqual({ data: [] });
    const range = { startMs: 0n, endMs: BigInt(Date.now() + DAY_MS), limit: 10 };
    const { entries, more } = await unaryCall(
      client.listAudit.bind(client),
      { accountId, ...range, beforeEntryId: '', actorId: '', targetId: '', action: 'payment_method' },
      call,
    );
    expect(more).toBe(false);
    expect(entries).toMatchObject([
      {
        action: 'payment_method.delete',
        targetId: 'pm_1',
        targetName: 'visa 4242',
        actor: { name: 'ann@example.com' },
      },
    ]);
  });
});
