import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, costOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { dollars } from '@tollgate/test-support/gateway/money';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { readShortage } from './support/shortage.ts';
import { watchCaps } from './support/watch-caps.ts';

const INGRESSES = 3;
const PLENTY = 1_000_000_000n;

let gateway: Gateway;
let sql: pg.Pool;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: INGRESSES, ledgers: 2 });
  sql = new pg.Pool({ connectionString: gateway.stack.facts.database_url, max: 1 });
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
});

function urlOf(ingress: number): string {
  const url = gateway.stack.facts.base_urls[ingress % INGRESSES];
  if (url === undefined) throw new Error(`unknown ingress ${ingress}`);
  return url;
}

const chatAt = (ingress: number, key: string, body: object) => send(urlOf(ingress), chatRequest(key, body));

function getAt(path: string, key: string): Promise<WireResponse> {
  return send(urlOf(0), { method: 'GET', path, headers: { authorization: `Bearer ${key}` } });
}

function request(controls: Record<string, unknown> = {}): object {
  return {
    model: 'small',
    messages: say('Hi'),
    max_tokens: 200,
    ...simulate({ output_tokens: 'max', ...controls }),
  };
}

/** The maximum cost of a request, and what it costs. */
async function pricesOf(body: object): Promise<{ hold: bigint; cost: bigint }> {
  const poor = await gateway.accounts.create(0n);
  const hold = readShortage(await gateway.chat(poor.key, body)).neededNanos;
  const payer = await gateway.accounts.create(PLENTY);
  expect((await chatAt(0, payer.key, body)).status).toBe(200);
  await expect.poll(() => spentBy(payer)).toBeGreaterThan(0n);
  return { hold, cost: await spentBy(payer) };
}

async function spentBy(account: Account): Promise<bigint> {
  const records = await allRecords(gateway, account);
  return records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
}

/** Retries after each 429 and 503, at another ingress. */
async function decided(first: number, key: string, body: object): Promise<WireResponse> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await chatAt(first + attempt, key, body);
    if (response.status !== 429 && response.status !== 503) return response;
    await delay(Number(response.headers['retry-after-ms'] ?? 1_000));
  }
  throw new Error('never decided');
}

describe('a project with a cap for exactly 10 requests', () => {
  it('is never exceeded by 200 requests at once with twelve keys of two owners and none, over three ingresses', async () => {
    const body = request({ head_delay_ms: 50 });
    const { hold, cost } = await pricesOf(body);
    const outside = await gateway.accounts.create(PLENTY);
    const { accountId } = outside;
    const projectId = await gateway.accounts.createProject(accountId, { caps: { totalNanos: hold + 9n * cost } });
    const owners = [
      undefined,
      await gateway.accounts.createServiceAccount(accountId, projectId, { caps: { dayNanos: PLENTY } }),
      await gateway.accounts.createServiceAccount(accountId, projectId, { caps: { weekNanos: PLENTY } }),
    ];
    const keys = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const serviceAccountId = owners[index % owners.length];
        const owned = serviceAccountId === undefined ? { projectId } : { projectId, serviceAccountId };
        return gateway.accounts.createKey(accountId, { ...owned, caps: { monthNanos: PLENTY } });
      }),
    );
    const watch = watchCaps(sql, projectId);
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) => decided(index, keys[index % keys.length]?.key ?? '', body)),
    );
    const beyond = await watch.stop();
    const refused = responses.filter(({ status }) => status !== 200);
    expect(responses.length - refused.length).toBe(10);
    expect(beyond).toBeLessThanOrEqual(0n);
    for (const response of refused) {
      expect(response.status).toBe(400);
      expect(at(response.json, 'error', 'type')).toBe('insufficient_balance');
      expect(textAt(response.json, 'error', 'message')).toContain(
        "more than is left of the total spending cap of the API key's project",
      );
      expect(textAt(response.json, 'error', 'details', 'recharge_url')).toMatch(
        new RegExp(`/projects/${projectId}\\?node=${projectId}&raise=total$|/top-up$`),
      );
      expect(at(response.json, 'error', 'details', 'limit')).toEqual({
        scope: 'project',
        id: projectId,
        name: null,
        window: 'total',
        amount: null,
        spent: null,
        held: null,
        resets_at: null,
        currency: 'USD',
      });
    }
    // Other projects of the account go on.
    expect((await chatAt(0, outside.key, body)).status).toBe(200);
    await expect.poll(() => spentBy(outside)).toBe(11n * cost);
  });

  it('counts what its keys spent before it had the cap', async () => {
    const { hold, cost } = await pricesOf(request());
    const { accountId } = await gateway.accounts.create(PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, {});
    const { key } = await gateway.accounts.createKey(accountId, { projectId });
    expect((await chatAt(0, key, request())).status).toBe(200);
    await expect.poll(() => spentBy({ accountId, keyId: '', key })).toBe(cost);
    await gateway.accounts.updateProject(accountId, projectId, { caps: { monthNanos: cost + hold - 1n } });
    expect((await chatAt(1, key, request())).status).toBe(400);
    await gateway.accounts.updateProject(accountId, projectId, { caps: { monthNanos: cost + hold } });
    expect((await chatAt(2, key, request())).status).toBe(200);
  });
});

describe('a project', () => {
  it('that is switched off refuses all its keys and no other, until it is on again', async () => {
    const outside = await gateway.accounts.create(PLENTY);
    const { accountId } = outside;
    const projectId = await gateway.accounts.createProject(accountId, {});
    const serviceAccountId = await gateway.accounts.createServiceAccount(accountId, projectId, {});
    const keys = [
      await gateway.accounts.createKey(accountId, { projectId }),
      await gateway.accounts.createKey(accountId, { serviceAccountId }),
    ];
    const statuses = async () => {
      const responses = keys.flatMap(({ key }) => [0, 1, 2].map((ingress) => chatAt(ingress, key, request())));
      return new Set((await Promise.all(responses)).map(({ status }) => status));
    };
    expect(await statuses()).toEqual(new Set([200]));
    await gateway.accounts.updateProject(accountId, projectId, { enabled: false });
    expect(await statuses()).toEqual(new Set([401]));
    expect((await chatAt(0, outside.key, request())).status).toBe(200);
    await gateway.accounts.updateProject(accountId, projectId, { enabled: true });
    expect(await statuses()).toEqual(new Set([200]));
  });

  it('limits the models and the rate of its keys', async () => {
    const { accountId } = await gateway.accounts.create(PLENTY);
    const limits = { requestsPerMinute: 6n };
    const projectId = await gateway.accounts.createProject(accountId, { limits, allowedModels: { ids: ['small'] } });
    const { key } = await gateway.accounts.createKey(accountId, { projectId });
    const list = await getAt('/v1/models', key);
    expect(JSON.stringify(list.json)).toContain('"small"');
    expect(at(list.json, 'data')).toHaveLength(1);
    const refused = await chatAt(1, key, request());
    expectModelError(refused, {
      status: 429,
      type: 'rate_limit_exceeded',
      message: "The limit of 6 requests per minute of the API key's project is reached",
    });
  });

  it('shows a key what its owner may spend, and not what the project may', async () => {
    const { accountId } = await gateway.accounts.create(PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, { caps: { dayNanos: PLENTY } });
    const caps = { monthNanos: PLENTY };
    const serviceAccountId = await gateway.accounts.createServiceAccount(accountId, projectId, { caps });
    const { key } = await gateway.accounts.createKey(accountId, { serviceAccountId });
    const { status, json } = await getAt('/v1/billing/limits', key);
    expect({ status, json }).toMatchObject({
      status: 200,
      json: {
        data: [
          { scope: 'account', id: accountId },
          { scope: 'project', id: projectId, name: null, window: 'day', amount: null, left: null },
          {
            scope: 'service_account',
            id: serviceAccountId,
            name: expect.any(String),
            window: 'month',
            amount: dollars(PLENTY),
            left: dollars(PLENTY),
          },
        ],
      },
    });
    const response = await chatAt(0, key, request());
    expect(textAt(response.headers, 'ratelimit')).toMatch(/^"service-account-month";r=/);
  });
});

describe('a project with 1,000 keys that is deleted under load', () => {
  it('has no request accepted that started after the call has returned', async () => {
    const { accountId } = await gateway.accounts.create(10n * PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, {});
    const keys: string[] = [];
    const creators = Array.from({ length: 8 }, async () => {
      while (keys.length < 1_000) keys.push((await gateway.accounts.createKey(accountId, { projectId })).key);
    });
    await Promise.all(creators);
    const ended: { startedAt: number; status: number }[] = [];
    let turn = 0;
    let isOver = false;
    const clients = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        turn += 1;
        const startedAt = performance.now();
        const { status } = await chatAt(turn, keys[turn % keys.length] ?? '', request());
        ended.push({ startedAt, status });
      }
    });
    const accepted = () => ended.filter(({ status }) => status === 200).length;
    await expect.poll(accepted, { timeout: 60_000 }).toBeGreaterThan(keys.length);
    await gateway.accounts.deleteProject(accountId, projectId);
    const deletedAt = performance.now();
    const later = () => ended.filter(({ startedAt }) => startedAt >= deletedAt);
    await expect.poll(() => later().length, { timeout: 60_000 }).toBeGreaterThan(keys.length);
    isOver = true;
    await Promise.all(clients);
    expect(new Set(later().map(({ status }) => status))).toEqual(new Set([401]));
  });
});
