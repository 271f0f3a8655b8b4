import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, recently, recordOf } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { expectBillingError, UUID_V7 } from './support/errors.ts';
import { type FourCalls, makeFourCalls } from './support/four-calls.ts';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const DAY_MS = 86_400_000;
let gateway: Gateway;
let account: Account;
let secondKey: FourCalls['secondKey'];
let responses: WireResponse[];

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  ({ account, secondKey, responses } = await makeFourCalls(gateway, BALANCE));
});

function ask(path: string, from: { key: string } = account): Promise<WireResponse> {
  return gateway.send({ path: `/v1/billing/${path}`, headers: { authorization: `Bearer ${from.key}` } });
}

const iso = (ms: number) => new Date(ms).toISOString();
const idsOf = (page: WireResponse) => listAt(page.json, 'data').map((record) => at(record, 'request_id'));

function requestId(index: number): unknown {
  return responses[index]?.headers['x-request-id'];
}

describe('GET /v1/billing/requests/{request_id}', () => {
  it('reports everything of a request', async () => {
    const record = await recordOf(gateway, account, requestId(0));
    expect(record).toEqual({
      request_id: expect.stringMatching(UUID_V7),
      trace_id: responses[0]?.headers['x-trace-id'],
      key_id: account.keyId,
      key_name: 'test key',
      tags: {},
      model: 'small',
      provider: 'sim',
      deployment: 'small@sim',
      protocol_in: 'openai-chat',
      protocol_out: 'openai-chat',
      streamed: false,
      status: 'completed',
      finish_reason: 'stop',
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      first_token_ms: expect.any(Number),
      duration_ms: expect.any(Number),
      retries: 0,
      usage: { input: 5, cache_read: 3, output: 10 },
      usage_estimated: false,
      reported_usage: null,
      lines: [
        { bucket: 'input', quantity: 5, rate_per_million: '0.15', amount: '0.00000075' },
        { bucket: 'cache_read', quantity: 3, rate_per_million: '0.075', amount: '0.000000225' },
        { bucket: 'output', quantity: 10, rate_per_million: '0.6', amount: '0.000006' },
      ],
      price_version: expect.stringMatching(/.+/),
      price_tier: null,
      price_options: {},
      discount_percent: '0',
      cost: '0.000006975',
      hold: '0.0098391',
      session: null,
      agent_id: null,
      parent_agent_id: null,
      attempts: [],
      failure: null,
      currency: 'USD',
    });
    expect(Math.abs(Date.parse(textAt(record, 'started_at')) - Date.now())).toBeLessThan(120_000);
  });

  it('reports streams and failures', async () => {
    expect(await recordOf(gateway, account, requestId(2))).toMatchObject({
      streamed: true,
      key_name: 'second',
      key_id: secondKey.keyId,
      usage: { input: 8, output: 20 },
    });
    expect(await recordOf(gateway, account, requestId(3))).toMatchObject({
      status: 'failed',
      finish_reason: null,
      first_token_ms: null,
      usage: {},
      lines: [],
      cost: '0',
    });
  });

  it('an estimate never exceeds the output limit', async () => {
    const own = await gateway.accounts.create(BALANCE);
    for (const stream of [true, false]) {
      const limit = { max_tokens: 60, stream, ...simulate({ output_tokens: 60, usage: 'omit' }) };
      const response = await gateway.chat(own.key, { model: 'small', messages: say('Hi'), ...limit });
      const record = await recordOf(gateway, own, response.headers['x-request-id']);
      expect(record).toMatchObject({ usage_estimated: true, usage: { output: 60 } });
    }
  });

  it('returns the record of a request that has just ended at once', async () => {
    const own = await gateway.accounts.create(BALANCE);
    const times: Record<'buffered' | 'streamed', number[]> = { buffered: [], streamed: [] };
    for (let round = 0; round < 20; round += 1) {
      const stream = round % 2 === 0;
      const response = await gateway.chat(own.key, {
        model: 'small',
        messages: say('Hi'),
        stream,
        ...simulate({ output_tokens: 2 }),
      });
      const startedAt = performance.now();
      const record = await recordOf(gateway, own, response.headers['x-request-id']);
      times[stream ? 'streamed' : 'buffered'].push(performance.now() - startedAt);
      expect(record).toMatchObject({ status: 'completed' });
    }
    // Any of them may be delayed by the machine.
    expect(Math.min(...times.buffered)).toBeLessThan(1_000);
    expect(Math.min(...times.streamed)).toBeLessThan(1_000);
  });

  it('accepts the id in upper case', async () => {
    const response = await ask(`requests/${String(requestId(0)).toUpperCase()}`);
    expect(at(response.json, 'request_id')).toBe(requestId(0));
  });

  it.each([
    'x',
    '123',
    '0190a0b0-0000-7000-8000-00000000000',
    '0190a0b0000070008000000000000000',
    '%20',
    'a'.repeat(4_000),
  ])('refuses %s, which is no UUID', async (id) => {
    expectBillingError(await ask(`requests/${id}`), 400, 'invalid_request', 'request_id');
  });

  it("does not find another account's record, or an unknown one", async () => {
    const other = await gateway.accounts.create(BALANCE);
    expectBillingError(await ask(`requests/${String(requestId(0))}`, other), 404, 'not_found');
    expectBillingError(await ask('requests/0190a0b0-0000-7000-8000-000000000000'), 404, 'not_found');
    expectBillingError(await ask('requests/0190a0b0-0000-4000-8000-000000000000'), 404, 'not_found');
  });

  it('waits a limited time for a recent record that never arrives', async () => {
    const own = await gateway.accounts.create(BALANCE);
    const young = String(requestId(0)).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const startedAt = performance.now();
    expectBillingError(await ask(`requests/${young}`, own), 404, 'not_found');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe('GET /v1/billing/requests', () => {
  it('lists the records of a time range, newest first', async () => {
    const page = await ask(`requests?${recently()}`);
    expect(page.status).toBe(200);
    expect(idsOf(page)).toEqual([3, 2, 1, 0].map(requestId));
    expect(at(page.json, 'next_cursor')).toBeNull();
    expect(listAt(page.json, 'data')[3]).toEqual(await recordOf(gateway, account, requestId(0)));
  });

  it('start is inclusive and end exclusive, to the millisecond', async () => {
    const started = Date.parse(textAt(await recordOf(gateway, account, requestId(1)), 'started_at'));
    expect(idsOf(await ask(`requests?start=${iso(started)}&end=${iso(started + 1)}`))).toContain(requestId(1));
    expect(idsOf(await ask(`requests?start=${iso(started - 1)}&end=${iso(started)}`))).not.toContain(requestId(1));
    expect(idsOf(await ask(`requests?start=${started / 1_000}&end=${(started + 1) / 1_000}`))).toContain(requestId(1));
    const offset = iso(started + 2 * 3_600_000).replace('Z', '%2B02:00');
    expect(idsOf(await ask(`requests?start=${offset}&end=${iso(started + 1)}`))).toContain(requestId(1));
  });

  it.each([
    ['model=small', [2, 0]],
    ['model=odd', [1]],
    ['status=failed', [3]],
    ['status=completed', [2, 1, 0]],
    ['status=cancelled', []],
    ['status=completed&model=small', [2, 0]],
  ])('filters by %s', async (filter, expected) => {
    expect(idsOf(await ask(`requests?${recently()}&${filter}`))).toEqual(expected.map(requestId));
  });

  it('filters by key', async () => {
    expect(idsOf(await ask(`requests?${recently()}&key_id=${secondKey.keyId}`))).toEqual([requestId(2)]);
  });

  it('finds a record by its trace id, with or without dashes, in its account only', async () => {
    const traceId = textAt(responses[0]?.headers, 'x-trace-id');
    expect(idsOf(await ask(`requests?trace_id=${traceId}`))).toEqual([requestId(0)]);
    const other = await gateway.accounts.create(0n);
    expectBillingError(await ask(`requests?trace_id=${traceId}`, other), 404, 'not_found');
    expectBillingError(await ask('requests?trace_id=xyz'), 400, 'invalid_request', 'trace_id');
  });

  it('pages through all of them once, despite new ones', async () => {
    const own = await gateway.accounts.create(BALANCE);
    const call = () =>
      gateway.chat(own.key, { model: 'small', messages: say('Hi'), ...simulate({ output_tokens: 1 }) });
    for (let index = 0; index < 7; index += 1) await call();
    await expect.poll(async () => (await allRecords(gateway, own)).length).toBe(7);
    const before = await allRecords(gateway, own);
    const range = recently();
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const page = await ask(`requests?${range}&limit=2&cursor=${encodeURIComponent(cursor)}`, own);
      expect(listAt(page.json, 'data').length).toBeLessThanOrEqual(2);
      seen.push(...idsOf(page));
      cursor = String(at(page.json, 'next_cursor') ?? '');
      await call();
    } while (cursor !== '');
    expect(seen).toEqual(before.map((record) => at(record, 'request_id')));
  });

  const now = Date.now();
  it.each([
    ['', 'start'],
    [`start=${iso(now)}`, 'end'],
    [`end=${iso(now)}`, 'start'],
    [`start=yesterday&end=${iso(now)}`, 'start'],
    [`start=2026-01-01T00:00:00&end=${iso(now)}`, 'start'],
    [`start=2026-02-30T00:00:00Z&end=2026-03-03T00:00:00Z`, 'start'],
    [`start=${iso(now)}&end=${iso(now - 1)}`, 'end'],
    [`start=${iso(now)}&end=${iso(now)}`, 'end'],
    [`start=${iso(now - 31 * DAY_MS - 1)}&end=${iso(now)}`, '31 days'],
    [`${recently()}&start=0`, 'start'],
    [`${recently()}&limit=0`, 'limit'],
    [`${recently()}&limit=1001`, 'limit'],
    [`${recently()}&limit=many`, 'limit'],
    [`${recently()}&status=lost`, 'status'],
    [`${recently()}&key_id=abc`, 'key_id'],
    [`${recently()}&cursor=rubbish`, 'cursor'],
  ])('refuses ?%s and names %s', async (query, named) => {
    expectBillingError(await ask(`requests?${query}`), 400, 'invalid_request', named);
  });

  it('accepts a range of exactly 31 days', async () => {
    expect((await ask(`requests?start=${iso(now - 31 * DAY_MS)}&end=${iso(now)}`)).status).toBe(200);
  });
});
