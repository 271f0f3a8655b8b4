import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { DepositKind } from '@tollgate/proto/ledger';
import type { Payment } from '@tollgate/proto/payments';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryProvider } from '../../testing/memory-provider.ts';
import { DOLLAR, type ServedPayments, servePayments } from '../../testing/serve-payments.ts';
import { ProviderError } from '../providers/provider.ts';
import type { Book } from '../synchronize/book.ts';
import { bookBy } from '../synchronize/book.ts';

const offset = { ms: 0 };
const provider = new MemoryProvider({ now: () => Date.now() + offset.ms });
let payments: ServedPayments;
/** Stands between payments and the ledger, to lose answers. */
let lose: { key: RegExp; when: 'before' | 'after' } | undefined;
let real: Book;
const book: Book = async (accountId, movement, of) => {
  const isLost = lose?.key.test(movement.key) === true;
  const { when } = lose ?? {};
  if (isLost) lose = undefined;
  if (isLost && when === 'before') throw new Error('the ledger cannot be reached');
  const booking = await real(accountId, movement, of);
  if (isLost) throw new Error('the answer of the ledger was lost');
  return booking;
};

beforeAll(async () => {
  payments = await servePayments({ provider, book }, {}, offset);
  real = bookBy(payments.ledger.client);
});
afterAll(() => payments.stop());
afterEach(() => {
  lose = undefined;
});

async function settled(): Promise<Payment> {
  const { accountId, paymentId } = await payments.checkout(newId());
  const page = provider.checkouts.find(({ options }) => options.origin.paymentId === paymentId);
  await payments.deps.synchronize({ providerPayment: provider.pay(page?.id ?? '') });
  return payments.get(accountId, paymentId);
}

/** The reconciler, once open refunds are due. */
async function heal(): Promise<void> {
  payments.pass(7 * 3_600_000);
  await payments.reconcile();
}

async function auditOf(accountId: string): Promise<string[]> {
  const { rows } = await payments.deps.pool.query<{ action: string }>(
    'SELECT action FROM payments.audit WHERE account_id = $1',
    [accountId],
  );
  return rows.map(({ action }) => action);
}

describe('refundPayment', () => {
  it('takes the credit and pays it back, once for its key', async () => {
    const payment = await settled();
    const refunded = await payments.refund(payment, 3_000n, 'key 1');
    expect(refunded).toMatchObject({ refundedNanos: 30n * DOLLAR, creditedNanos: 100n * DOLLAR });
    expect(await payments.refund(payment, 3_000n, 'key 1')).toEqual(refunded);
    await payments.deps.synchronize({ providerPayment: payment.providerPayment });
    expect(await payments.balanceOf(payment.accountId)).toBe(70n * DOLLAR);
    expect(provider.refundsOf(payment.providerPayment).map(({ cents }) => cents)).toEqual([3_000n]);
    expect(await auditOf(payment.accountId)).toEqual(['payment.refund']);
    await expect(payments.refund(payment, 3_100n, 'key 1')).rejects.toMatchObject({ code: status.ALREADY_EXISTS });
  });

  it('refuses more than is left of the payment', async () => {
    const payment = await settled();
    await payments.refund(payment, 6_000n);
    await expect(payments.refund(payment, 4_001n)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'amount_nanos: 40 USD of the payment are left',
    });
    await payments.refund(payment, 4_000n);
    expect(await payments.balanceOf(payment.accountId)).toBe(0n);
  });

  it('refuses to pay spent credit back', async () => {
    const payment = await settled();
    await unaryCall(
      payments.ledger.client.deposit.bind(payments.ledger.client),
      {
        accountId: payment.accountId,
        kind: DepositKind.ADJUSTMENT,
        amountNanos: -80n * DOLLAR,
        idempotencyKey: newId(),
        reason: 'spent',
        refuseShortfall: undefined,
      },
      { deadlineMs: 10_000 },
    );
    for (const key of ['short', 'short']) {
      await expect(payments.refund(payment, 3_000n, key)).rejects.toMatchObject({
        code: status.FAILED_PRECONDITION,
        details: 'amount_nanos: takes more than is left of the payment, or than the account has available',
      });
    }
    expect(provider.refundsOf(payment.providerPayment)).toEqual([]);
    expect(await payments.refund(payment, 2_000n)).toMatchObject({ refundedNanos: 20n * DOLLAR });
  });

  it('takes no credit of another payment', async () => {
    const payment = await settled();
    const { accountId } = payment;
    const other = await payments.checkout(accountId);
    const page = provider.checkouts.find(({ options }) => options.origin.paymentId === other.paymentId);
    await payments.deps.synchronize({ providerPayment: provider.pay(page?.id ?? '') });
    // The older credit is spent first.
    const spent = {
      kind: DepositKind.ADJUSTMENT,
      amountNanos: -100n * DOLLAR,
      idempotencyKey: newId(),
      reason: 'spent',
    };
    const { client } = payments.ledger;
    await unaryCall(client.deposit.bind(client), { accountId, ...spent }, { deadlineMs: 10_000 });
    await expect(payments.refund(payment, 1_000n)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  });

  it('gives the credit back if the provider refuses for good', async () => {
    const payment = await settled();
    const error = new ProviderError('refused', 'charge_disputed', 'Stripe: the charge is disputed');
    provider.failNext('refund', { when: 'before', error });
    await expect(payments.refund(payment, 3_000n, 'refused')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: 'the payment provider refuses the refund: charge_disputed',
    });
    expect(await payments.balanceOf(payment.accountId)).toBe(100n * DOLLAR);
    expect(await payments.get(payment.accountId, payment.paymentId)).toMatchObject({ refundedNanos: 0n });
    await expect(payments.refund(payment, 3_000n, 'refused')).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
  });

  it('gives the credit back when the refund fails later', async () => {
    const payment = await settled();
    await payments.refund(payment, 3_000n);
    const [refund] = provider.refundsOf(payment.providerPayment);
    provider.changeRefund(refund?.id ?? '', 'failed');
    await payments.deps.synchronize({ providerPayment: payment.providerPayment });
    expect(await payments.balanceOf(payment.accountId)).toBe(100n * DOLLAR);
  });
});

describe('a crash during a refund heals', () => {
  it('before the ledger was asked', async () => {
    const payment = await settled();
    lose = { key: /^refund:/, when: 'before' };
    await expect(payments.refund(payment, 3_000n)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(await payments.balanceOf(payment.accountId)).toBe(100n * DOLLAR);
    await heal();
    expect(await payments.balanceOf(payment.accountId)).toBe(70n * DOLLAR);
    expect(provider.refundsOf(payment.providerPayment)).toHaveLength(1);
    expect(await auditOf(payment.accountId)).toEqual(['payment.refund']);
  });

  it('after the ledger took the credit, before that was recorded', async () => {
    const payment = await settled();
    lose = { key: /^refund:/, when: 'after' };
    await expect(payments.refund(payment, 3_000n)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(await payments.balanceOf(payment.accountId)).toBe(70n * DOLLAR);
    await heal();
    expect(await payments.balanceOf(payment.accountId)).toBe(70n * DOLLAR);
    expect(provider.refundsOf(payment.providerPayment)).toHaveLength(1);
  });

  it.each(['before', 'after'] as const)('%s the provider made it', async (when) => {
    const payment = await settled();
    provider.loseNext('refund', when);
    // The credit is taken, and the refund goes on by itself.
    expect(await payments.refund(payment, 3_000n)).toMatchObject({ refundedNanos: 30n * DOLLAR });
    expect(provider.refundsOf(payment.providerPayment)).toHaveLength(when === 'after' ? 1 : 0);
    provider.forgetKeys();
    await heal();
    expect(await payments.balanceOf(payment.accountId)).toBe(70n * DOLLAR);
    expect(provider.refundsOf(payment.providerPayment)).toHaveLength(1);
    const { rows } = await payments.deps.pool.query('SELECT state FROM payments.refunds WHERE account_id = $1', [
      payment.accountId,
    ]);
    expect(rows).toEqual([{ state: 'accepted' }]);
  });

  it('after the provider refused, while the credit is given back', async () => {
    for (const when of ['before', 'after'] as const) {
      const payment = await settled();
      const error = new ProviderError('refused', 'charge_disputed', 'Stripe: the charge is disputed');
      for (const _ of [1, 2]) provider.failNext('refund', { when: 'before', error });
      lose = { key: /^refund:.*:failed$/, when };
      expect(await payments.refund(payment, 3_000n)).toMatchObject({ refundedNanos: 30n * DOLLAR });
      await heal();
      expect(await payments.balanceOf(payment.accountId)).toBe(100n * DOLLAR);
      expect(await payments.get(payment.accountId, payment.paymentId)).toMatchObject({ refundedNanos: 0n });
    }
  });

  it('with events of the refund in between', async () => {
    const payment = await settled();
    provider.loseNext('refund', 'after');
    await payments.refund(payment, 3_000n);
    await payments.deps.synchronize({ providerPayment: payment.providerPayment });
    await heal();
    await payments.deps.synchronize({ providerPayment: payment.providerPayment });
    expect(await payments.balanceOf(payment.accountId)).toBe(70n * DOLLAR);
  });
});
