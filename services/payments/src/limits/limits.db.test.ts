import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MemoryProvider } from '../../testing/memory-provider.ts';
import { DOLLAR, type ServedPayments, servePayments } from '../../testing/serve-payments.ts';
import { forgetClients } from '../store/limits.ts';
import { FAILED_CARDS_MS, FORGET_AFTER_MS } from './failed-cards.ts';

const HOUR_MS = 3_600_000;
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
  payments.pass(FAILED_CARDS_MS + HOUR_MS);
});

async function asOperator() {
  const actorToken = await payments.tokenOf(accountId, {
    role: 'operator',
    accountId: undefined,
    name: 'op@example.com',
  });
  return { deadlineMs: 20_000, actorToken };
}
async function limits() {
  const { client } = payments;
  return unaryCall(client.getPaymentLimits.bind(client), { accountId }, await asOperator());
}
async function setLimit(dailyLimitNanos: bigint | undefined, reason = 'known customer') {
  const { client } = payments;
  const request = { accountId, dailyLimitNanos, reason };
  return unaryCall(client.updatePaymentLimits.bind(client), request, await asOperator());
}
async function clear(account = accountId) {
  const { client } = payments;
  const request = { accountId: account, reason: 'talked to them' };
  return unaryCall(client.clearFailedCards.bind(client), request, await asOperator());
}
/** Cards fail at the page of a new payment. */
async function fail(count: number, options: Parameters<ServedPayments['checkout']>[1] = {}, account = accountId) {
  const { paymentId } = await payments.checkout(account, { amountNanos: 5n * DOLLAR, ...options });
  const page = provider.checkouts.find((each) => each.options.origin.paymentId === paymentId);
  const providerPayment = provider.decline(page?.id ?? '', count);
  // Events are repeated.
  for (let event = 0; event < 2; event += 1) await payments.deps.synchronize({ providerPayment });
}
const minute = (ms: number) => new Date(Math.ceil(ms / 60_000) * 60_000).toISOString().slice(0, 16).replace('T', ' ');

describe('the limit of a network', () => {
  it('counts payments of all accounts and people, also when they are begun at once', async () => {
    const begin = () => payments.checkout(newId(), { amountNanos: 5n * DOLLAR, clientAddress: '203.0.113.7' });
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, begin));
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(40);
    await expect(begin()).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: 'a network can begin 40 payments an hour',
    });
    await payments.checkout(accountId, { clientAddress: '203.0.113.8' });
    payments.pass(HOUR_MS + 1_000);
    await begin();
  });

  it('counts a customer of IPv6 once, whatever address they take', async () => {
    const address = (count: number) => `2001:db8::${count.toString(16)}`;
    for (let count = 1; count <= 40; count += 1) {
      await payments.checkout(newId(), { amountNanos: 5n * DOLLAR, clientAddress: address(count) });
    }
    const other = payments.checkout(accountId, { clientAddress: address(99) });
    await expect(other).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('keeps no address, and what stands for it for two days', async () => {
    await payments.checkout(accountId, { clientAddress: '198.51.100.20' });
    await fail(1, { clientAddress: '198.51.100.20' });
    const stored = async () => {
      const { rows } = await payments.deps.pool.query<{ payments: number; cards: number; text: string | null }>(
        `SELECT (SELECT count(client_network)::int FROM payments.payments WHERE account_id = $1) AS payments,
           (SELECT count(*)::int FROM payments.failed_cards WHERE account_id = $1) AS cards,
           (SELECT string_agg(p::text, ' ') FROM payments.payments p WHERE account_id = $1) AS text`,
        [accountId],
      );
      return rows[0];
    };
    const forget = () => forgetClients(payments.deps.pool, payments.deps.now() - FORGET_AFTER_MS, 1_000);
    await forget();
    expect(await stored()).toMatchObject({ payments: 2, cards: 1, text: expect.not.stringContaining('198.51.100') });
    payments.pass(FORGET_AFTER_MS + 1_000);
    await forget();
    expect(await stored()).toMatchObject({ payments: 0, cards: 0 });
  });
});

describe('failed cards', () => {
  it('stop payments of the account for six hours, and the error says until when', async () => {
    await fail(9);
    expect(await limits()).toMatchObject({ failedCards: 9, maxFailedCards: 10, refusedUntilMs: 0n });
    await fail(1);
    const until = Number((await limits()).refusedUntilMs);
    expect(until).toBeGreaterThan(payments.deps.now() + FAILED_CARDS_MS - 60_000);
    await expect(payments.checkout(accountId)).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
      details: `too many cards failed in this account: try again after ${minute(until)} UTC`,
    });
    await payments.checkout(newId());
    payments.pass(until - payments.deps.now() + 1_000);
    await payments.checkout(accountId);
  });

  it.each([
    ['a person', 10, () => ({ personId: newId() }), 'too many cards failed for you'],
    ['a network', 20, () => ({ clientAddress: '192.0.2.77' }), 'too many cards failed from your network'],
  ])('stop payments of %s in all accounts, until an operator clears them', async (_, max, subject, message) => {
    const options = subject();
    const accounts = [newId(), newId(), newId()];
    for (const account of accounts) await fail(Math.ceil(max / 3), options, account);
    const begin = () => payments.checkout(accountId, options);
    await expect(begin()).rejects.toMatchObject({ details: expect.stringContaining(message) });
    await clear(accounts[0]);
    await begin();
  });

  it('do not count again after an operator has cleared them, and the audit log says who and why', async () => {
    await fail(10);
    expect(await clear()).toMatchObject({ failedCards: 0, refusedUntilMs: 0n });
    const rows = provider.checkouts.filter(({ options }) => options.origin.accountId === accountId);
    for (const { id } of rows) await payments.deps.synchronize({ checkoutId: id });
    expect(await limits()).toMatchObject({ failedCards: 0 });
    await payments.checkout(accountId);
    expect(await audited()).toEqual([
      ['payment_limit.clear_failed_cards', 'op@example.com', { failed_cards: '10', reason: 'talked to them' }],
    ]);
  });
});

describe('the daily limit', () => {
  it('is what operators set, until they let payments decide again', async () => {
    await payments.checkout(accountId, { amountNanos: 400n * DOLLAR });
    expect(await limits()).toMatchObject({
      dailyLimitNanos: 500n * DOLLAR,
      dailyLeftNanos: 100n * DOLLAR,
      ownLimitNanos: undefined,
      baseNanos: 500n * DOLLAR,
      provenNanos: 0n,
      usedNanos: 400n * DOLLAR,
      begunInHour: 1,
      maxBegunInHour: 10,
    });
    expect(await setLimit(2_000n * DOLLAR)).toMatchObject({
      ownLimitNanos: 2_000n * DOLLAR,
      dailyLeftNanos: 1_600n * DOLLAR,
    });
    await payments.checkout(accountId, { amountNanos: 1_500n * DOLLAR });
    expect(await setLimit(0n)).toMatchObject({ ownLimitNanos: 0n, dailyLeftNanos: 0n });
    await expect(payments.checkout(accountId)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
    expect(await setLimit(undefined)).toMatchObject({ ownLimitNanos: undefined, dailyLimitNanos: 500n * DOLLAR });
    const reason = 'known customer';
    expect(await audited()).toEqual([
      ['payment_limit.update', 'op@example.com', { daily_limit: 'automatic', before: '0', reason }],
      ['payment_limit.update', 'op@example.com', { daily_limit: '0', before: '2000', reason }],
      ['payment_limit.update', 'op@example.com', { daily_limit: '2000', before: 'automatic', reason }],
    ]);
  });

  it('is of operators only, who give a reason', async () => {
    await expect(setLimit(1n, ' ')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    const { client } = payments;
    const owner = { deadlineMs: 20_000, actorToken: await payments.tokenOf(accountId) };
    const calls = [
      unaryCall(client.getPaymentLimits.bind(client), { accountId }, owner),
      unaryCall(client.updatePaymentLimits.bind(client), { accountId, dailyLimitNanos: undefined, reason: 'x' }, owner),
      unaryCall(client.clearFailedCards.bind(client), { accountId, reason: 'x' }, owner),
    ];
    const denied = { status: 'rejected', reason: { code: status.PERMISSION_DENIED } };
    expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => denied));
  });
});

async function audited() {
  const { rows } = await payments.deps.pool.query<{ action: string; actor_name: string; details: object }>(
    'SELECT action, actor_name, details FROM payments.audit WHERE account_id = $1 ORDER BY entry_id DESC',
    [accountId],
  );
  return rows.map(({ action, actor_name, details }) => [action, actor_name, details]);
}
