import { DepositKind } from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from './support/accounts.ts';
import { allRecords, billing, recently, recordOf } from './support/billing.ts';
import { expectBillingError, UUID, UUID_V7, VALID_UUID } from './support/errors.ts';
import { type Gateway, say, simulate, startGateway } from './support/gateway.ts';
import type { WireAnswer } from './support/http.ts';
import { at, listAt, textAt } from './support/json.ts';
import { dollars, nanos } from './support/money.ts';

const BALANCE = 1_000_000_000n;
/** Billing calls an account may make at once. */
const BURST = 150;
const DAY_MS = 86_400_000;
let gateway: Gateway;
let account: Account;
let secondKey: { key: string; keyId: string };
/** Answers of the account's calls, oldest first. */
const answers: WireAnswer[] = [];

beforeAll(async () => {
  gateway = await startGateway({
    env: { BILLING_REQUESTS_PER_MINUTE: '1200', BILLING_BURST: String(BURST) },
  });
  account = await gateway.accounts.create(BALANCE);
  secondKey = await gateway.accounts.createKey(account.accountId, { name: 'second' });
  const call = async (key: string, body: object) => void answers.push(await gateway.chat(key, body));
  await call(account.key, {
    model: 'small',
    messages: say('Hi'),
    ...simulate({ output_tokens: 10, cached_tokens: 3 }),
  });
  await call(account.key, { model: 'odd', messages: say('Hi'), ...simulate({ output_tokens: 3 }) });
  await call(secondKey.key, { model: 'small', messages: say('Hi'), stream: true, ...simulate({ output_tokens: 20 }) });
  await call(account.key, { model: 'breakable-1', messages: say('Hi'), ...simulate({ fail: 500 }) });
});
afterAll(() => gateway.stop());

function ask(path: string, from: { key: string } = account): Promise<WireAnswer> {
  return gateway.send({ path: `/v1/billing/${path}`, headers: { authorization: `Bearer ${from.key}` } });
}

function requestId(index: number): unknown {
  return answers[index]?.headers['x-request-id'];
}

const iso = (ms: number) => new Date(ms).toISOString();
const idsOf = (page: WireAnswer) => listAt(page.json, 'data').map((record) => at(record, 'request_id'));

describe('GET /v1/billing/requests/{request_id}', () => {
  it('tells everything of a request', async () => {
    const record = await recordOf(gateway, account, requestId(0));
    expect(record).toEqual({
      request_id: expect.stringMatching(UUID_V7),
      trace_id: answers[0]?.headers['x-trace-id'],
      key_id: account.keyId,
      key_name: 'test key',
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
      lines: [
        { bucket: 'input', quantity: 5, rate_per_million: '0.15', amount: '0.00000075' },
        { bucket: 'cache_read', quantity: 3, rate_per_million: '0.075', amount: '0.000000225' },
        { bucket: 'output', quantity: 10, rate_per_million: '0.6', amount: '0.000006' },
      ],
      price_version: expect.stringMatching(/.+/),
      cost: '0.000006975',
      currency: 'USD',
    });
    expect(Math.abs(Date.parse(textAt(record, 'started_at')) - Date.now())).toBeLessThan(120_000);
  });

  it('of a stream, and of a failure, too', async () => {
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

  it('answers at once for a request that has just ended, however often', async () => {
    const own = await gateway.accounts.create(BALANCE);
    for (let round = 0; round < 20; round += 1) {
      const stream = round % 2 === 0;
      const answer = await gateway.chat(own.key, {
        model: 'small',
        messages: say('Hi'),
        stream,
        ...simulate({ output_tokens: 2 }),
      });
      const startedAt = performance.now();
      const record = await recordOf(gateway, own, answer.headers['x-request-id']);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
      expect(record).toMatchObject({ status: 'completed' });
    }
  });

  it('takes the id in upper case', async () => {
    const answer = await ask(`requests/${String(requestId(0)).toUpperCase()}`);
    expect(at(answer.json, 'request_id')).toBe(requestId(0));
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

  it("does not know another account's record, nor one that never was", async () => {
    const other = await gateway.accounts.create(BALANCE);
    expectBillingError(await ask(`requests/${String(requestId(0))}`, other), 404, 'not_found');
    expectBillingError(await ask('requests/0190a0b0-0000-7000-8000-000000000000'), 404, 'not_found');
    expectBillingError(await ask('requests/0190a0b0-0000-4000-8000-000000000000'), 404, 'not_found');
  });

  it('waits no longer than it says for a young one that never comes', async () => {
    const own = await gateway.accounts.create(BALANCE);
    const young = String(requestId(0)).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const startedAt = performance.now();
    expectBillingError(await ask(`requests/${young}`, own), 404, 'not_found');
    expect(performance.now() - startedAt).toBeLessThan(4_000);
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

  it('finds one by its trace id, dashed or not, and no other account does', async () => {
    const traceId = textAt(answers[0]?.headers, 'x-trace-id');
    expect(idsOf(await ask(`requests?trace_id=${traceId}`))).toEqual([requestId(0)]);
    const other = await gateway.accounts.create(0n);
    expectBillingError(await ask(`requests?trace_id=${traceId}`, other), 404, 'not_found');
    expectBillingError(await ask('requests?trace_id=xyz'), 400, 'invalid_request', 'trace_id');
  });

  it('pages through all of them, each once, undisturbed by new ones', async () => {
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

  it('takes a range of exactly 31 days', async () => {
    expect((await ask(`requests?start=${iso(now - 31 * DAY_MS)}&end=${iso(now)}`)).status).toBe(200);
  });
});

describe('GET /v1/billing/usage', () => {
  it('sums per model and per key what the records say', async () => {
    const usage = await ask(`usage?${recently()}&interval=day&group_by=model,key`);
    const rows = listAt(usage.json, 'data');
    const row = (model: string, keyId: string) =>
      rows.filter((each) => at(each, 'model') === model && at(each, 'key_id') === keyId);
    expect(row('small', account.keyId)).toEqual([
      {
        start: expect.stringMatching(/T00:00:00\.000Z$/),
        model: 'small',
        key_id: account.keyId,
        requests: 1,
        usage: expect.objectContaining({ input: 5, cache_read: 3, output: 10 }),
        cost: '0.000006975',
        currency: 'USD',
      },
    ]);
    expect(row('small', secondKey.keyId)).toMatchObject([{ requests: 1, usage: { input: 8, output: 20 } }]);
    const records = await allRecords(gateway, account);
    const sum = (list: readonly unknown[]) =>
      list.reduce<bigint>((total, each) => total + nanos(textAt(each, 'cost')), 0n);
    expect(sum(rows)).toBe(sum(records));
  });

  it.each(['hour', 'day', 'month'])('per %s, ungrouped, has one row for what happened now', async (interval) => {
    const now = Date.now();
    const usage = await ask(`usage?start=${iso(now - 86_000_000)}&end=${iso(now + 60_000)}&interval=${interval}`);
    const rows = listAt(usage.json, 'data');
    expect(rows.reduce<number>((total, row) => total + Number(at(row, 'requests')), 0)).toBe(4);
    for (const row of rows) expect(row).not.toHaveProperty('model');
  });

  it.each([
    [`${recently()}&interval=week`, 'interval'],
    [`${recently()}&group_by=colour`, 'group_by'],
    [`start=${iso(Date.now() - 32 * DAY_MS)}&end=${iso(Date.now())}&interval=hour`, '31 days'],
    [`start=${iso(Date.now() - 367 * DAY_MS)}&end=${iso(Date.now())}&interval=day`, '366 days'],
    ['interval=day', 'start'],
  ])('refuses ?%s and names %s', async (query, named) => {
    expectBillingError(await ask(`usage?${query}`), 400, 'invalid_request', named);
  });
});

describe('GET /v1/billing/balance and deposits', () => {
  it('the balance is what was paid in less what was spent', async () => {
    const records = await allRecords(gateway, account);
    const spent = records.reduce<bigint>((total, each) => total + nanos(textAt(each, 'cost')), 0n);
    const answer = await billing(gateway, account, 'balance');
    expect(answer.json).toEqual({
      balance: dollars(BALANCE - spent),
      held: expect.stringMatching(/^\d/),
      available: expect.stringMatching(/^\d/),
      currency: 'USD',
    });
    const amount = (name: string) => nanos(textAt(answer.json, name));
    expect(amount('available')).toBe(amount('balance') - amount('held'));
  });

  it('shows what open requests hold', async () => {
    const own = await gateway.accounts.create(BALANCE);
    const open = gateway.chat(own.key, {
      model: 'small',
      messages: say('Hi'),
      max_tokens: 1_000,
      ...simulate({ head_delay_ms: 4_000 }),
    });
    const held = async () => nanos(textAt((await billing(gateway, own, 'balance')).json, 'held'));
    await expect.poll(held, { timeout: 4_000 }).toBeGreaterThanOrEqual(600_000n);
    expect((await open).status).toBe(200);
    await expect.poll(held, { timeout: 10_000 }).toBe(0n);
  });

  it('of an account that never had any is zero', async () => {
    const poor = await gateway.accounts.create(0n);
    const { json } = await billing(gateway, poor, 'balance');
    expect(json).toEqual({ balance: '0', held: '0', available: '0', currency: 'USD' });
  });

  it('deposits and adjustments are listed, newest first, a page at a time', async () => {
    const own = await gateway.accounts.create(5n);
    await gateway.accounts.deposit(own.accountId, 7n, DepositKind.ADJUSTMENT, 'a gift');
    await gateway.accounts.deposit(own.accountId, -2n, DepositKind.REFUND, 'taken back');
    const first = await ask(`deposits?${recently()}&limit=2`, own);
    expect(listAt(first.json, 'data')).toEqual([
      {
        deposit_id: expect.stringMatching(UUID),
        kind: 'refund',
        amount: '-0.000000002',
        currency: 'USD',
        reason: 'taken back',
        created_at: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ kind: 'adjustment', amount: '0.000000007', reason: 'a gift' }),
    ]);
    const cursor = encodeURIComponent(textAt(first.json, 'next_cursor'));
    const second = await ask(`deposits?${recently()}&limit=2&cursor=${cursor}`, own);
    expect(second.json).toEqual({
      data: [expect.objectContaining({ kind: 'deposit', amount: '0.000000005' })],
      next_cursor: null,
    });
    expectBillingError(await ask('deposits', own), 400, 'invalid_request', 'start');
  });
});

it('too many calls of an account are refused until later, and other accounts and endpoints go on', async () => {
  const { key } = await gateway.accounts.create(0n);
  const asked = await Promise.all(Array.from({ length: 2 * BURST }, () => ask('balance', { key })));
  const refused = asked.filter((answer) => answer.status !== 200);
  expect(refused.length).toBeGreaterThan(50);
  expect(asked.length - refused.length).toBeGreaterThanOrEqual(BURST);
  const [limited] = refused;
  if (limited === undefined) throw new Error('nothing was refused');
  expectBillingError(limited, 429, 'rate_limit_exceeded');
  expect(Number(limited.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(limited.headers['x-trace-id']).toMatch(VALID_UUID);
  expect((await ask('balance', account)).status).toBe(200);
  expect((await gateway.send({ path: '/v1/models', headers: { 'x-api-key': key } })).status).toBe(200);
  await expect.poll(async () => (await ask('balance', { key })).status, { timeout: 5_000, interval: 300 }).toBe(200);
});
