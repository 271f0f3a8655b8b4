import { newId } from '@tollgate/common/ids';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { MemoryProvider } from '../../testing/memory-provider.ts';
import { DOLLAR, type ServedPayments, servePayments } from '../../testing/serve-payments.ts';
import { readLastEvent } from '../store/provider-state.ts';
import { type Book, bookBy } from '../synchronize/book.ts';

const provider = new MemoryProvider();
let payments: ServedPayments;
let real: Book;
/** Holds or fails what is booked. */
let gate: (() => Promise<void>) | undefined;
const book: Book = async (...args) => {
  await gate?.();
  return real(...args);
};

beforeAll(async () => {
  payments = await servePayments({ provider, book });
  real = bookBy(payments.ledger.client);
});
afterAll(() => payments.stop());
afterEach(() => {
  gate = undefined;
});

async function paid() {
  const accountId = newId();
  const { paymentId } = await payments.checkout(accountId);
  const page = provider.checkouts.find(({ options }) => options.origin.paymentId === paymentId);
  return { accountId, providerPayment: provider.pay(page?.id ?? '') };
}

function eventOf(providerPayment: string | undefined): string {
  const ref = providerPayment === undefined ? undefined : { providerPayment };
  return JSON.stringify({ id: `evt_${newId()}`, type: 'payment_intent.succeeded', ref });
}

function send(body: string, signature = provider.sign(body), init: RequestInit = {}): Promise<Response> {
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json', ...init.headers };
  return fetch(payments.webhookUrl, { method: 'POST', body, ...init, headers, redirect: 'manual' });
}

it('an event is handled once the ledger has committed, and again without effect', async () => {
  const { accountId, providerPayment } = await paid();
  for (let count = 0; count < 3; count += 1) {
    expect((await send(eventOf(providerPayment))).status).toBe(200);
    expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
  }
  expect(await readLastEvent(payments.deps.pool)).toBeGreaterThan(Date.now() - 60_000);
});

it('an event that is not booked is sent again', async () => {
  const { accountId, providerPayment } = await paid();
  gate = () => Promise.reject(new Error('the ledger cannot be reached'));
  expect((await send(eventOf(providerPayment))).status).toBe(500);
  expect(await payments.booked(accountId)).toEqual({});
  provider.loseNext('fetch', 'before');
  expect((await send(eventOf(providerPayment))).status).toBe(500);
  gate = undefined;
  expect((await send(eventOf(providerPayment))).status).toBe(200);
  expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
});

it('an event with a wrong signature is refused, whatever it says', async () => {
  const { accountId, providerPayment } = await paid();
  const event = eventOf(providerPayment);
  for (const signature of ['', 'wrong', provider.sign(`${event} `)]) {
    expect((await send(event, signature)).status).toBe(400);
  }
  expect(await payments.booked(accountId)).toEqual({});
});

it('an event that concerns no payment of ours is handled', async () => {
  expect((await send(eventOf(undefined))).status).toBe(200);
  expect((await send(eventOf('pi_of_another'))).status).toBe(200);
});

it('bodies, methods and paths have limits', async () => {
  const large = 'x'.repeat(1024 * 1024 + 1);
  expect((await send(large)).status).toBe(413);
  expect((await send('x', 'x', { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
  expect((await fetch(payments.webhookUrl)).status).toBe(405);
  expect((await fetch(`${payments.webhookUrl}/`, { method: 'POST', redirect: 'manual' })).status).toBe(404);
  expect((await fetch(payments.webhookUrl, { method: 'POST' })).status).toBe(400);
  const live = await fetch(payments.webhookUrl.replace('/webhooks/stripe', '/health/live'));
  expect([live.status, await live.json()]).toEqual([200, { status: 'live' }]);
  const ready = await fetch(payments.webhookUrl.replace('/webhooks/stripe', '/health/ready'));
  expect(ready.status).toBe(200);
});

it('with too many events at once, the next one is told to come again', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, paid));
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let waiting = 0;
  gate = async () => {
    waiting += 1;
    if (waiting === all.length) arrived.resolve();
    await release.promise;
  };
  const held = all.map(({ providerPayment }) => send(eventOf(providerPayment)));
  await arrived.promise;
  const { accountId, providerPayment } = await paid();
  expect((await send(eventOf(providerPayment))).status).toBe(503);
  release.resolve();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  gate = undefined;
  expect((await send(eventOf(providerPayment))).status).toBe(200);
  expect(await payments.balanceOf(accountId)).toBe(100n * DOLLAR);
});
