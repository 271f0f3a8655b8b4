import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { dollars } from '@tollgate/test-support/gateway/money';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullRequest, PLENTY, PricedRequests } from './support/priced-requests.ts';
import { watchCaps } from './support/watch-caps.ts';

const INGRESSES = 3;

let gateway: Gateway;
let requests: PricedRequests;
let sql: pg.Pool;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: INGRESSES, ledgers: 2 });
  requests = new PricedRequests(gateway);
  sql = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

function post(key: string, body: object, ingress = 0): Promise<WireResponse> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return send(requests.urlOf(ingress), { method: 'POST', path: '/v1/keys', headers, body: JSON.stringify(body) });
}

/** Makes a key below another one. */
async function derive(parent: string, body: object = {}): Promise<{ keyId: string; key: string }> {
  const { status, json } = await post(parent, { name: 'run', ...body });
  if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(json)}`);
  return { keyId: textAt(json, 'key', 'key_id'), key: textAt(json, 'secret') };
}

describe('POST /v1/keys', () => {
  it('makes a key that is accepted everywhere, with its value once', async () => {
    const { key: parent, keyId } = await gateway.accounts.create(PLENTY, { tags: { team: 'a' } });
    const body = {
      name: 'run 7',
      allowed_models: ['small'],
      caps: { day: '0.5' },
      expires_in: 3_600,
      tags: { job: '7' },
    };
    const response = await post(parent, body, 1);
    expect(response.status).toBe(201);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.json).toEqual({
      key: {
        key_id: expect.any(String),
        parent_key_id: keyId,
        name: 'run 7',
        created_at: expect.any(String),
        expires_at: expect.any(String),
        allowed_models: ['small'],
        caps: { day: '0.5', week: null, month: null, total: null },
        limits: { requests_per_minute: null, tokens_per_minute: null, open_requests: null },
        tags: { job: '7' },
      },
      secret: expect.stringMatching(/^sk-/),
    });
    const secret = textAt(response.json, 'secret');
    for (let ingress = 0; ingress < INGRESSES; ingress += 1)
      expect((await requests.chatAt(ingress, secret, fullRequest())).status).toBe(200);
    const list = await requests.getAt('/v1/models', secret);
    expect(at(list.json, 'data')).toHaveLength(1);
  });

  it('refuses what is more than the parent has, and names the field', async () => {
    const { key } = await gateway.accounts.create(PLENTY, { caps: { dayNanos: PLENTY } });
    const refusals: [body: object, message: string][] = [
      [{ name: 'run', caps: { day: '1.000000001' } }, 'caps.day: more than a key above it has.'],
      [{ name: 'run', caps: { daily: '1' } }, 'caps.daily: unknown.'],
      [{ caps: {} }, 'name: required.'],
    ];
    for (const [body, message] of refusals) {
      const { status, json } = await post(key, body);
      expect({ status, json }).toEqual({ status: 400, json: { error: { code: 'invalid_request', message } } });
    }
  });

  it('is a request of the parent for its limits', async () => {
    const { key } = await gateway.accounts.create(PLENTY, { limits: { requestsPerMinute: 6n } });
    expect((await post(key, { name: 'run' })).status).toBe(201);
    const { status, json } = await post(key, { name: 'run' });
    expect([status, at(json, 'error', 'code')]).toEqual([429, 'rate_limit_exceeded']);
  });

  it('needs a key, and no other method', async () => {
    const { key } = await gateway.accounts.create(PLENTY);
    expect((await post('sk-nothing', { name: 'run' })).status).toBe(401);
    const { status, headers } = await requests.getAt('/v1/keys', key);
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });
});

describe('a key with ten derived keys and a cap for exactly 10 requests', () => {
  it('is never exceeded by 100 requests at once of all of them, over three ingresses', async () => {
    const body = fullRequest({ head_delay_ms: 50 });
    const { hold, cost } = await requests.pricesOf(body);
    const parent = await gateway.accounts.create(PLENTY, { caps: { totalNanos: hold + 9n * cost } });
    const keys = [parent.key];
    for (let index = 0; index < 9; index += 1)
      keys.push((await derive(parent.key, index % 2 === 0 ? {} : { caps: { total: dollars(hold + 9n * cost) } })).key);
    const middle = keys[1] ?? '';
    keys.push((await derive(middle)).key);
    const watch = watchCaps(sql, parent.keyId);
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => requests.decided(index, keys[1 + (index % 10)] ?? '', body)),
    );
    const beyond = await watch.stop();
    const refused = responses.filter(({ status }) => status !== 200);
    expect(responses.length - refused.length).toBe(10);
    expect(beyond).toBeLessThanOrEqual(0n);
    for (const response of refused) {
      expect(response.status).toBe(400);
      expect(textAt(response.json, 'error', 'message')).toContain(
        'more than is left of the total spending cap of a key above the API key',
      );
      expect(at(response.json, 'error', 'details', 'limit')).toEqual({
        ...{ scope: 'key', id: parent.keyId, name: null, window: 'total', amount: null, spent: null, held: null },
        ...{ resets_at: null, currency: 'USD' },
      });
    }
    // The parent has spent it too, and sees so.
    expect((await requests.chatAt(0, parent.key, body)).status).toBe(400);
    await expect.poll(() => requests.spentBy(parent)).toBe(10n * cost);
  });

  it('counts what parent and children spent before it had the cap, each once', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const parent = await gateway.accounts.create(PLENTY);
    const child = await derive(parent.key);
    for (const key of [parent.key, child.key]) expect((await requests.chatAt(0, key, fullRequest())).status).toBe(200);
    await expect.poll(() => requests.spentBy(parent)).toBe(2n * cost);
    await gateway.accounts.setCaps(parent.keyId, { monthNanos: 2n * cost + hold - 1n });
    const { json } = await requests.getAt('/v1/billing/limits', parent.key);
    expect(at(json, 'data', 1)).toMatchObject({ scope: 'key', window: 'month', spent: dollars(2n * cost) });
    for (const key of [parent.key, child.key]) expect((await requests.chatAt(1, key, fullRequest())).status).toBe(400);
    await gateway.accounts.setCaps(parent.keyId, { monthNanos: 2n * cost + hold });
    expect((await requests.chatAt(2, child.key, fullRequest())).status).toBe(200);
    await expect.poll(() => requests.spentBy(parent)).toBe(3n * cost);
    await gateway.accounts.setCaps(parent.keyId, { monthNanos: 3n * cost + hold });
    expect((await requests.chatAt(0, parent.key, fullRequest())).status).toBe(200);
  });
});

describe('a derived key in the billing API', () => {
  it('sees what it used, and not what others did or what the account has', async () => {
    const parent = await gateway.accounts.create(PLENTY);
    const child = await derive(parent.key);
    const { key: sibling } = await derive(parent.key);
    const recordOf = async (key: string) =>
      textAt((await requests.chatAt(0, key, fullRequest())).headers, 'x-request-id');
    const [own, ofParent, ofSibling] = [await recordOf(child.key), await recordOf(parent.key), await recordOf(sibling)];
    const read = (path: string, key = child.key) => requests.getAt(`/v1/billing${path}`, key);
    const find = async (id: string, key?: string) => (await read(`/requests/${id}`, key)).status;
    expect(await Promise.all([own, ofParent, ofSibling].map((id) => find(id)))).toEqual([200, 404, 404]);
    expect(await Promise.all([own, ofParent, ofSibling].map((id) => find(id, parent.key)))).toEqual([200, 200, 200]);
    const range = `start=${Math.floor(Date.now() / 1_000) - 3_600}&end=${Math.floor(Date.now() / 1_000) + 60}`;
    const listed = async (query: string, key?: string) => {
      const { status, json } = await read(`/requests?${range}${query}`, key);
      expect(status).toBe(200);
      return JSON.stringify(json).match(/"request_id":"[^"]+"/g) ?? [];
    };
    await expect.poll(() => listed('', parent.key)).toHaveLength(3);
    expect(await listed('')).toEqual([`"request_id":"${own}"`]);
    expect(await listed(`&key_id=${child.keyId}`)).toHaveLength(1);
    expect(await listed(`&key_id=${parent.keyId}`)).toEqual([]);
    const usage = await read(`/usage?${range}&group_by=key`);
    expect(at(usage.json, 'data')).toMatchObject([{ key_id: child.keyId, requests: 1 }]);
    expect((await read('/balance')).status).toBe(404);
    expect((await read(`/deposits?${range}`)).status).toBe(404);
    expect((await read('/balance', parent.key)).status).toBe(200);
    expect(at((await read('/limits')).json, 'data', 0)).toMatchObject({ scope: 'account', amount: null, held: null });
  });

  it('is not shown the balance that refuses it', async () => {
    const parent = await gateway.accounts.create(1n);
    const { key } = await derive(parent.key);
    const { status, json } = await requests.chatAt(0, key, fullRequest());
    expect(status).toBe(400);
    expect(textAt(json, 'error', 'message')).toContain("more than is left of the account's balance. Top up at");
    expect(at(json, 'error', 'details', 'limit')).toMatchObject({ scope: 'account', amount: null, held: null });
  });
});

describe('a key with 300 keys below it that is deleted under load', () => {
  it('has no request accepted that started after the call has returned', async () => {
    const root = await gateway.accounts.create(10n * PLENTY);
    const keys: string[] = [root.key];
    const creators = Array.from({ length: 4 }, async (_, index) => {
      while (keys.length < 300) keys.push((await derive(keys[index === 0 ? 0 : 1] ?? root.key)).key);
    });
    await Promise.all(creators);
    const ended: { startedAt: number; status: number }[] = [];
    let turn = 0;
    let isOver = false;
    const clients = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        turn += 1;
        const startedAt = performance.now();
        const { status } = await requests.chatAt(turn, keys[turn % keys.length] ?? '', fullRequest());
        ended.push({ startedAt, status });
      }
    });
    const accepted = () => ended.filter(({ status }) => status === 200).length;
    await expect.poll(accepted, { timeout: 60_000 }).toBeGreaterThan(keys.length);
    await gateway.accounts.deleteKey(root.keyId);
    const deletedAt = performance.now();
    const later = () => ended.filter(({ startedAt }) => startedAt >= deletedAt);
    await expect.poll(() => later().length, { timeout: 60_000 }).toBeGreaterThan(keys.length);
    isOver = true;
    await Promise.all(clients);
    expect(new Set(later().map(({ status }) => status))).toEqual(new Set([401]));
  });
});
