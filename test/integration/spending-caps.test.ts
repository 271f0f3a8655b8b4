import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, costOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { dollars, nanos } from '@tollgate/test-support/gateway/money';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError, VALID_UUID } from './support/errors.ts';
import { readShortage } from './support/shortage.ts';
import { watchCaps } from './support/watch-caps.ts';

const INGRESSES = 3;
const LEDGERS = 2;
const DAY_MS = 86_400_000;
const PLENTY = 1_000_000_000n;

let gateway: Gateway;
let sql: pg.Pool;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: INGRESSES, ledgers: LEDGERS });
  sql = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

function chatAt(ingress: number, key: string, body: object): Promise<WireResponse> {
  const url = gateway.stack.facts.base_urls[ingress % INGRESSES];
  if (url === undefined) throw new Error(`unknown ingress ${ingress}`);
  return send(url, chatRequest(key, body));
}

/**
 * Like `chatAt`, but retries a 503 with Retry-After as SDKs do. A request waits two seconds for the ledger, and this machine
 * may be too busy with 200 requests for that.
 */
async function chatUnlessBusy(ingress: number, key: string, body: object): Promise<WireResponse> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const response = await chatAt(ingress, key, body);
    if (response.status !== 503) return response;
    expectModelError(response, { status: 503, type: 'internal_error', message: 'The ledger cannot be reached' });
    const retryAfterMs = Number(response.headers['retry-after-ms']);
    expect(retryAfterMs).toBeGreaterThan(0);
    await delay(retryAfterMs);
  }
  throw new Error(`ingress ${ingress} stayed unavailable`);
}

function request(fields: object = {}, controls: Record<string, unknown> = {}): object {
  return {
    model: 'small',
    messages: say('Hi'),
    max_tokens: 200,
    ...simulate({ output_tokens: 'max', ...controls }),
    ...fields,
  };
}

/** The maximum cost of `request()`. */
async function holdOf(body: object): Promise<bigint> {
  const poor = await gateway.accounts.create(0n);
  return readShortage(await gateway.chat(poor.key, body)).neededNanos;
}

interface Reached {
  neededNanos: bigint;
  limitNanos: bigint;
  leftNanos: bigint;
  message: string;
}

/** Checks every field of the error for a reached cap, and parses its message. */
function readReached(response: WireResponse, status = 400): Reached {
  expect({ status: response.status, text: response.text }).toMatchObject({ status });
  expect(at(response.json, 'error')).toMatchObject({
    code: status,
    details: { recharge_url: expect.stringMatching(/^https?:\/\//) },
  });
  expect(response.headers['x-trace-id']).toMatch(VALID_UUID);
  expect(response.headers['x-should-retry']).toBe('false');
  const message = textAt(response.json, 'error', 'message');
  const [needed, left, limit] = [...message.matchAll(/\$(\d+(?:\.\d+)?)/g)].map((match) => nanos(match[1] ?? ''));
  if (needed === undefined || limit === undefined || left === undefined)
    throw new Error(`unexpected message: ${message}`);
  return { neededNanos: needed, limitNanos: limit, leftNanos: left, message };
}

/** The cost of a key's requests, from billing. */
async function spentBy(account: Account): Promise<bigint> {
  const records = await allRecords(gateway, account);
  const own = records.filter((record) => at(record, 'key_id') === account.keyId);
  return own.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
}

describe('200 requests at once with a cap for exactly 10, over three ingresses', () => {
  it('10 are served, the cap is used up exactly, and another key of the account continues', async () => {
    const body = request({}, { head_delay_ms: 50 });
    const hold = await holdOf(body);
    const costly = await gateway.accounts.create(PLENTY);
    // The cost of one response, slightly less than its hold, because the input's bound exceeds its tokens.
    expect((await chatAt(0, costly.key, body)).status).toBe(200);
    await expect.poll(() => spentBy(costly)).toBeGreaterThan(0n);
    const cost = await spentBy(costly);
    const cap = hold + 9n * cost;
    const account = await gateway.accounts.create(PLENTY, { caps: { dayNanos: PLENTY, totalNanos: cap } });
    const sibling = await gateway.accounts.createKey(account.accountId);
    const watch = watchCaps(sql, account.keyId);
    const others: number[] = [];
    let done = false;
    const othersGoOn = (async () => {
      for (let turn = 0; !done; turn += 1) others.push((await chatUnlessBusy(turn, sibling.key, body)).status);
    })();
    const kinds = await Promise.all(Array.from({ length: 200 }, (_, index) => decided(index, account, body)));
    done = true;
    await othersGoOn;
    const beyond = await watch.stop();
    expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(10);
    expect(kinds.filter((kind) => kind === 'capped')).toHaveLength(190);
    expect(others.length).toBeGreaterThan(0);
    expect(new Set(others)).toEqual(new Set([200]));
    expect(beyond).toBeLessThanOrEqual(0n);
    await expect.poll(() => spentBy(account)).toBe(10n * cost);
    for (let ingress = 0; ingress < INGRESSES; ingress += 1) {
      expect(readReached(await chatAt(ingress, account.key, body))).toMatchObject({ leftNanos: hold - cost });
    }
  });

  /** Retries after each 429, at another ingress. */
  async function decided(first: number, account: Account, body: object): Promise<string> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const response = await chatUnlessBusy(first + attempt, account.key, body);
      if (response.status === 200) return 'answered';
      if (response.status !== 429) {
        readReached(response);
        return 'capped';
      }
      expect(textAt(response.json, 'error', 'message')).toMatch(
        /Open requests of the API key hold the rest of its total spending cap/,
      );
      await delay(Number(response.headers['retry-after-ms'] ?? 1_000));
    }
    return 'never decided';
  }
});

/** The next day in UTC. */
function nextDay(): string {
  return new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
}

describe('a reached cap', () => {
  it('is reported like an insufficient balance, with cap, remaining amount and reset time', async () => {
    const hold = await holdOf(request());
    const account = await gateway.accounts.create(PLENTY, { caps: { dayNanos: hold - 1n } });
    const calls = gateway.simulator.recorder.stats.calls;
    const before = nextDay();
    const response = await chatAt(0, account.key, request());
    expect(at(response.json, 'error', 'type')).toBe('insufficient_balance');
    const { message, ...amounts } = readReached(response);
    expect(amounts).toEqual({ neededNanos: hold, limitNanos: hold - 1n, leftNanos: hold - 1n });
    expect(at(response.json, 'error', 'details', 'limit')).toEqual({
      scope: 'key',
      id: account.keyId,
      name: expect.any(String),
      window: 'day',
      amount: dollars(hold - 1n),
      spent: '0',
      held: '0',
      resets_at: expect.stringMatching(/T00:00:00\.000Z$/),
      currency: 'USD',
    });
    const reported = (day: string) =>
      `The request may cost up to $${dollars(hold)}, and the API key has $${dollars(hold - 1n)} left of its daily ` +
      `spending cap of $${dollars(hold - 1n)}, which pays for 199 output tokens. Raise the cap, or lower the output ` +
      `limit. It resets at ${day}T00:00:00Z.`;
    expect([reported(before), reported(nextDay())]).toContain(message);
    expect(gateway.simulator.recorder.stats.calls).toBe(calls);
  });

  it('is a 402 where an insufficient balance is, and has no reset time if it is the total', async () => {
    const account = await gateway.accounts.create(PLENTY, { caps: { totalNanos: 0n } });
    const headers = { 'content-type': 'application/json' };
    const message = await gateway.send({
      method: 'POST',
      path: '/v1/messages',
      headers: { ...headers, 'x-api-key': account.key, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'small', max_tokens: 20, messages: say('Hi') }),
    });
    expect(readReached(message, 402).message).toMatch(/total spending cap of \$0, .*Raise the cap[^.]*\.$/);
    const generated = await gateway.send({
      method: 'POST',
      path: '/v1beta/models/small:generateContent',
      headers: { ...headers, 'x-goog-api-key': account.key },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    });
    readReached(generated, 402);
  });

  it('lowers an output limit that the client did not set, like a small balance', async () => {
    const account = await gateway.accounts.create(PLENTY, { caps: { monthNanos: 1_000_000n } });
    const response = await chatAt(1, account.key, request({ max_tokens: undefined }));
    expect(response.status).toBe(200);
    const tokens = Number(at(response.json, 'usage', 'completion_tokens'));
    expect(tokens).toBeGreaterThan(1_000);
    await expect.poll(() => spentBy(account)).toBeGreaterThan(900_000n);
    expect(await spentBy(account)).toBeLessThanOrEqual(1_000_000n);
    readReached(await chatAt(2, account.key, request({ max_tokens: undefined })));
  });
});

describe('what is left of a cap', () => {
  it('is in the headers of the responses of its key, and of no other key', async () => {
    const account = await gateway.accounts.create(PLENTY, { caps: { dayNanos: PLENTY, totalNanos: PLENTY / 2n } });
    const { headers } = await chatAt(0, account.key, request());
    expect(headers['ratelimit-policy']).toBe('"key-total";q=500000;qu="microdollar"');
    expect(headers['ratelimit']).toMatch(/^"key-total";r=\d{1,6}$/);
    const other = await gateway.accounts.create(PLENTY);
    expect((await chatAt(0, other.key, request())).headers).not.toHaveProperty('ratelimit');
  });
});

describe('a change of caps', () => {
  it('applies to the next request at every ingress: lowered, raised, removed, and set again', async () => {
    const body = request();
    const account = await gateway.accounts.create(PLENTY, { caps: { totalNanos: PLENTY } });
    for (let ingress = 0; ingress < INGRESSES; ingress += 1) {
      expect((await chatAt(ingress, account.key, body)).status).toBe(200);
    }
    await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(INGRESSES);
    const spent = await spentBy(account);
    const hold = await holdOf(body);
    await gateway.accounts.setCaps(account.keyId, { totalNanos: spent - 1n });
    for (let ingress = 0; ingress < INGRESSES; ingress += 1) {
      expect(readReached(await chatAt(ingress, account.key, body))).toMatchObject({
        limitNanos: spent - 1n,
        leftNanos: 0n,
      });
    }
    await gateway.accounts.setCaps(account.keyId, { totalNanos: spent + hold });
    expect((await chatAt(0, account.key, body)).status).toBe(200);
    await gateway.accounts.setCaps(account.keyId, {});
    for (let ingress = 0; ingress < INGRESSES; ingress += 1) {
      expect((await chatAt(ingress, account.key, body)).status).toBe(200);
    }
    await gateway.accounts.setCaps(account.keyId, { dayNanos: PLENTY, totalNanos: spent + hold });
    expect(readReached(await chatAt(1, account.key, body))).toMatchObject({ limitNanos: spent + hold });
  });

  it("includes the key's cost before it had a cap", async () => {
    const body = request();
    const account = await gateway.accounts.create(PLENTY);
    const sibling = await gateway.accounts.createKey(account.accountId);
    for (const key of [account.key, account.key, sibling.key]) {
      expect((await chatAt(0, key, body)).status).toBe(200);
    }
    await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(3);
    const spent = await spentBy(account);
    const hold = await holdOf(body);
    await gateway.accounts.setCaps(account.keyId, { totalNanos: spent + hold - 1n });
    expect(readReached(await chatAt(2, account.key, body))).toMatchObject({ leftNanos: hold - 1n });
    await gateway.accounts.setCaps(account.keyId, { totalNanos: spent + hold });
    expect((await chatAt(2, account.key, body)).status).toBe(200);
  });
});
