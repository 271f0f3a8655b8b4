import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { dollars } from '@tollgate/test-support/gateway/money';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
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

describe('a project with a cap for exactly 10 requests', () => {
  it('is never exceeded by 200 requests at once with twelve keys of two owners and none, over three ingresses', async () => {
    const body = fullRequest({ head_delay_ms: 50 });
    const { hold, cost } = await requests.pricesOf(body);
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
      Array.from({ length: 200 }, (_, index) => requests.decided(index, keys[index % keys.length]?.key ?? '', body)),
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
    expect((await requests.chatAt(0, outside.key, body)).status).toBe(200);
    await expect.poll(() => requests.spentBy(outside)).toBe(11n * cost);
  });

  it('counts what its keys spent before it had the cap', async () => {
    const { hold, cost } = await requests.pricesOf(fullRequest());
    const { accountId } = await gateway.accounts.create(PLENTY);
    const projectId = await gateway.accounts.createProject(accountId, {});
    const { key } = await gateway.accounts.createKey(accountId, { projectId });
    expect((await requests.chatAt(0, key, fullRequest())).status).toBe(200);
    await expect.poll(() => requests.spentBy({ accountId, keyId: '', key })).toBe(cost);
    await gateway.accounts.updateProject(accountId, projectId, { caps: { monthNanos: cost + hold - 1n } });
    expect((await requests.chatAt(1, key, fullRequest())).status).toBe(400);
    await gateway.accounts.updateProject(accountId, projectId, { caps: { monthNanos: cost + hold } });
    expect((await requests.chatAt(2, key, fullRequest())).status).toBe(200);
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
      const responses = keys.flatMap(({ key }) =>
        [0, 1, 2].map((ingress) => requests.chatAt(ingress, key, fullRequest())),
      );
      return new Set((await Promise.all(responses)).map(({ status }) => status));
    };
    expect(await statuses()).toEqual(new Set([200]));
    await gateway.accounts.updateProject(accountId, projectId, { enabled: false });
    expect(await statuses()).toEqual(new Set([401]));
    expect((await requests.chatAt(0, outside.key, fullRequest())).status).toBe(200);
    await gateway.accounts.updateProject(accountId, projectId, { enabled: true });
    expect(await statuses()).toEqual(new Set([200]));
  });

  it('limits the models and the rate of its keys', async () => {
    const { accountId } = await gateway.accounts.create(PLENTY);
    const limits = { requestsPerMinute: 6n };
    const projectId = await gateway.accounts.createProject(accountId, { limits, allowedModels: { ids: ['small'] } });
    const { key } = await gateway.accounts.createKey(accountId, { projectId });
    const list = await requests.getAt('/v1/models', key);
    expect(JSON.stringify(list.json)).toContain('"small"');
    expect(at(list.json, 'data')).toHaveLength(1);
    const refused = await requests.chatAt(1, key, fullRequest());
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
    const { status, json } = await requests.getAt('/v1/billing/limits', key);
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
    const response = await requests.chatAt(0, key, fullRequest());
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
        const { status } = await requests.chatAt(turn, keys[turn % keys.length] ?? '', fullRequest());
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
