import { newId } from '@tollgate/common/ids';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectBillingError, VALID_UUID } from './support/errors.ts';

/** Billing calls of an account per minute, and the burst: those of ten seconds. */
const PER_MINUTE = 720;
const BURST = PER_MINUTE / 6;
/** Maximum waiting lookups of one key at an ingress. */
const WAITING = 100;
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    ingresses: 2,
    env: { BILLING_REQUESTS_PER_MINUTE: String(PER_MINUTE) },
  });
});
afterAll(() => gateway.stop());

function ask(ingress: number, key: string, path: string): Promise<WireResponse> {
  const baseUrl = gateway.stack.facts.base_urls[ingress] ?? '';
  return send(baseUrl, { path: `/v1/billing/${path}`, headers: { 'x-api-key': key } });
}

it('the rate limit of an account covers all its keys and ingresses, with Retry-After', async () => {
  const account = await gateway.accounts.create(0n);
  const second = await gateway.accounts.createKey(account.accountId);
  const startedAt = performance.now();
  const responses = await Promise.all(
    Array.from({ length: 3 * BURST }, (_, index) =>
      ask(index % 2, index % 4 < 2 ? account.key : second.key, index % 3 === 0 ? 'balance' : 'requests?start=0'),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const refused = responses.filter((response) => response.status === 429);
  const served = responses.length - refused.length;
  // A call with invalid parameters counts too.
  expect(
    responses.filter((response) => response.status !== 429).every(({ status }) => status === 200 || status === 400),
  ).toBe(true);
  expect(served).toBeGreaterThanOrEqual(BURST);
  expect(served).toBeLessThanOrEqual(BURST + Math.ceil((seconds * PER_MINUTE) / 60) + 1);
  const [limited] = refused;
  if (limited === undefined) throw new Error('no call was rejected');
  expectBillingError(limited, 429, 'rate_limit_exceeded');
  const retryAfter = Number(limited.headers['retry-after']);
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60);
  const other = await gateway.accounts.create(0n);
  expect((await ask(0, other.key, 'balance')).status).toBe(200);
  await expect.poll(async () => (await ask(1, second.key, 'balance')).status, { interval: 1_100 }).toBe(200);
});

it('limits waiting lookups per key; further ones get Retry-After', async () => {
  const { accountId, key } = await gateway.accounts.create(0n);
  const lookups = BURST;
  const timed = await Promise.all(
    Array.from({ length: lookups }, async () => {
      const startedAt = performance.now();
      const response = await ask(0, key, `requests/${newId()}`);
      return { response, ms: performance.now() - startedAt };
    }),
  );
  const waited = timed.filter(({ response }) => response.status === 404);
  const sentOn = timed.filter(({ response }) => response.status === 429);
  expect(waited.length + sentOn.length).toBe(lookups);
  // On a busy machine some arrive after the first have stopped waiting, and take their places.
  expect(waited.length).toBeGreaterThanOrEqual(WAITING);
  expect(sentOn.length).toBeGreaterThan(0);
  for (const { response, ms } of waited) {
    expectBillingError(response, 404, 'not_found');
    expect(ms).toBeGreaterThanOrEqual(1_900);
  }
  for (const { response } of sentOn) {
    expectBillingError(response, 429, 'rate_limit_exceeded');
    expect(response.headers['retry-after']).toBe('1');
  }
  // Lookups with another key, or of an old request, do not wait.
  const second = await gateway.accounts.createKey(accountId);
  const startedAt = performance.now();
  expectBillingError(await ask(0, second.key, 'requests/0190a0b0-0000-7000-8000-000000000000'), 404, 'not_found');
  expect(performance.now() - startedAt).toBeLessThan(1_900);
});

it('rejects too many calls of an account; other accounts and endpoints continue', async () => {
  const { key } = await gateway.accounts.create(0n);
  const other = await gateway.accounts.create(0n);
  const beganAt = performance.now();
  const requested = await Promise.all(Array.from({ length: 3 * BURST }, () => ask(0, key, 'balance')));
  const flowedIn = (performance.now() - beganAt) / (60_000 / PER_MINUTE);
  const refused = requested.filter((response) => response.status !== 200);
  const served = requested.length - refused.length;
  expect(served).toBeGreaterThanOrEqual(BURST);
  expect(served).toBeLessThanOrEqual(BURST + flowedIn + 1);
  const [limited] = refused;
  if (limited === undefined) throw new Error('no call was rejected');
  expectBillingError(limited, 429, 'rate_limit_exceeded');
  expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(limited.headers['x-trace-id']).toMatch(VALID_UUID);
  expect((await ask(0, other.key, 'balance')).status).toBe(200);
  expect((await gateway.send({ path: '/v1/models', headers: { 'x-api-key': key } })).status).toBe(200);
  await expect.poll(async () => (await ask(0, key, 'balance')).status, { interval: 1_100 }).toBe(200);
});
