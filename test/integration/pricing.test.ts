import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf, billing, costOf, recently, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { dollars, lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { describe, expect, it, vi } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
let gateway: Gateway;

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
});

interface Call {
  /** Tokens of the prompt, at least 8; the README of the simulated provider describes the count. */
  inputTokens?: number;
  images?: number;
  model?: string;
  controls?: Record<string, unknown>;
}

/** A call of the messages protocol, whose simulated provider reports cache writes by lifetime. */
function call(account: Account, { inputTokens = 100, images = 0, model = 'tiered', controls = {} }: Call) {
  const text = 'x'.repeat((inputTokens - 7 - 765 * images) * 4);
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  return gateway.send({
    method: 'POST',
    path: '/v1/messages',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: 500,
      messages: [{ role: 'user', content: [...Array(images).fill(image), { type: 'text', text }] }],
      ...simulate({ output_tokens: 10, ...controls }),
    }),
  });
}

async function chargeOf(account: Account, response: WireResponse): Promise<unknown> {
  expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({
    status: 200,
    text: '',
  });
  const record = await recordOf(gateway, account, response.headers['x-request-id']);
  // The cost in the response equals the bill.
  expect(response.headers['x-request-cost']).toBe(textAt(record, 'cost'));
  return record;
}

/** The charge lines for quantities and rates. */
function linesOf(quantities: Record<string, number>, rates: Record<string, bigint>, discountPpm = 0n) {
  return Object.entries(quantities).map(([bucket, quantity]) => {
    const rate = rates[bucket] ?? 0n;
    const paid = lineNanos(quantity, rate * (1_000_000n - discountPpm)) / 1_000_000n;
    return { bucket, quantity, rate_per_million: dollars(rate), amount: dollars(paid) };
  });
}

describe('tiers by prompt length', () => {
  const { tiered, tieredLong } = RATES;

  it.each([
    [1_000, null, tiered],
    [1_001, { above_input_tokens: 1_000 }, { ...tiered, ...tieredLong }],
  ])('of a prompt of %i tokens, most of them cached', async (inputTokens, tier, rates) => {
    const account = await gateway.accounts.create(BALANCE);
    const controls = { cached_tokens: 900, cache_write_5m_tokens: 50, cache_write_1h_tokens: 30 };
    const record = await chargeOf(account, await call(account, { inputTokens, controls }));
    const quantities = {
      input: inputTokens - 980,
      cache_read: 900,
      cache_write_5m: 50,
      cache_write_1h: 30,
      output: 10,
      request: 1,
    };
    expect(record).toMatchObject({ price_tier: tier, discount_percent: '0', usage: quantities });
    expect(at(record, 'lines')).toEqual(linesOf(quantities, rates));
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
  });

  it('hold at the highest tier that a prompt can reach, and charge by its real length', async () => {
    const poor = await gateway.accounts.create(0n);
    const neededFor = async (inputTokens: number) => {
      const message = textAt((await call(poor, { inputTokens })).json, 'error', 'message');
      return nanos(/\$(\d+\.\d+)/.exec(message)?.[1] ?? '');
    };
    // 500 tokens of the response at 18 instead of 12 dollars: the bytes of 400 tokens may be more than a thousand tokens.
    expect(await neededFor(400)).toBeGreaterThan(lineNanos(500, tieredLong.output) + tiered.request / 1_000_000n);
    expect(await neededFor(100)).toBeLessThan(lineNanos(500, tieredLong.output) + tiered.request / 1_000_000n);
  });
});

describe('items', () => {
  it('are charged per image and per call, in the roll-up too', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const record = await chargeOf(account, await call(account, { inputTokens: 1_540, images: 2 }));
    const { tiered, tieredLong } = RATES;
    const quantities = { input: 1_540, output: 10, image: 2, request: 1 };
    expect(at(record, 'lines')).toEqual(linesOf(quantities, { ...tiered, ...tieredLong }));
    const usage = await billing(gateway, account, `usage?${recently()}&interval=hour`);
    expect(listAt(usage.json, 'data')[0]).toMatchObject({ usage: quantities, cost: textAt(record, 'cost') });
  });

  it('cost nothing without output', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await call(account, { controls: { fail: 503 } });
    expect(response.status).toBe(502);
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'failed', lines: [], cost: '0' });
    expect(await balanceOf(gateway, account)).toBe(BALANCE);
  });
});

describe('the discount of an account', () => {
  it('is deducted from each line with one rounding, and shown in the record', async () => {
    const account = await gateway.accounts.create(BALANCE);
    await gateway.accounts.setDiscount(account.accountId, 150_000);
    const record = await chargeOf(account, await call(account, { inputTokens: 101 }));
    const quantities = { input: 101, output: 10, request: 1 };
    expect(record).toMatchObject({ discount_percent: '15', lines: linesOf(quantities, RATES.tiered, 150_000n) });
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
  });

  it('holds less, changes no earlier bill, and leaves list prices as they are', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const chat = (fields: object = {}) =>
      gateway.chat(account.key, { model: 'odd', messages: say('Hi'), ...simulate({ output_tokens: 5 }), ...fields });
    const before = await chargeOf(account, await chat());
    await gateway.accounts.setDiscount(account.accountId, 500_000);
    const after = await chargeOf(account, await chat());
    expect(before).toMatchObject({ discount_percent: '0', lines: linesOf({ input: 8, output: 5 }, RATES.odd) });
    expect(after).toMatchObject({
      discount_percent: '50',
      lines: linesOf({ input: 8, output: 5 }, RATES.odd, 500_000n),
    });
    expect(await recordOf(gateway, account, at(before, 'request_id'))).toEqual(before);
    const models = await gateway.send({ path: '/v1/models/odd', headers: { authorization: `Bearer ${account.key}` } });
    expect(at(models.json, 'pricing', 'per_million')).toMatchObject({ input: '0.0005', output: '0.0005' });
  });

  it('of everything makes calls free', async () => {
    const account = await gateway.accounts.create(1n);
    await gateway.accounts.setDiscount(account.accountId, 1_000_000);
    const record = await chargeOf(account, await call(account, {}));
    expect(record).toMatchObject({ discount_percent: '100', cost: '0', usage: { input: 100, output: 10, request: 1 } });
  });
});

describe('a change of price', () => {
  /** Replaces the catalogue atomically, as an operator does. */
  async function changePrice(model: string, fields: object): Promise<void> {
    const catalogue: unknown = JSON.parse(await readFile(gateway.catalogueFile, 'utf8'));
    const models = listAt(catalogue, 'models').map((entry) => {
      if (at(entry, 'id') !== model || typeof entry !== 'object') return entry;
      const { price: _price, prices: _prices, ...rest } = { price: 0, prices: 0, ...entry };
      return { ...rest, ...fields };
    });
    await writeFile(`${gateway.catalogueFile}.new`, JSON.stringify({ ...Object(catalogue), models }));
    await rename(`${gateway.catalogueFile}.new`, gateway.catalogueFile);
  }

  const pricing = async (account: Account) => {
    const headers = { authorization: `Bearer ${account.key}` };
    return at((await gateway.send({ path: '/v1/models/repriced', headers })).json, 'pricing');
  };

  it('applies to requests that start after it, and to no earlier bill', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const chat = (controls: Record<string, unknown>) =>
      gateway.chat(account.key, {
        model: 'repriced',
        messages: say('Hi'),
        ...simulate({ output_tokens: 5, ...controls }),
      });
    const first = await chargeOf(account, await chat({}));
    const oldPrice = { input: '0.15', cache_read: '0.075', output: '0.60' };
    const newPrice = { input: '0.30', output: '1.20' };
    const moment = Date.now() + 8_000;
    const effective_from = new Date(moment).toISOString();
    await changePrice('repriced', { prices: [oldPrice, { version: 'winter', effective_from, ...newPrice }] });
    await vi.waitFor(async () => expect(listAt(await pricing(account), 'upcoming')).toHaveLength(1), 7_000);
    expect(await pricing(account)).toMatchObject({
      version: textAt(first, 'price_version'),
      per_million: { input: '0.15', output: '0.6' },
      upcoming: [{ effective_from, version: expect.stringMatching(/^winter-/), per_million: { input: '0.3' } }],
    });

    const startedAt = Date.now();
    expect(startedAt).toBeLessThan(moment);
    const slow = await chat({ head_delay_ms: moment - startedAt + 300 });
    expect(Date.now()).toBeGreaterThan(moment);
    const across = await chargeOf(account, slow);
    expect(across).toMatchObject({
      price_version: at(first, 'price_version'),
      lines: linesOf({ input: 8, output: 5 }, RATES.small),
    });
    const after = await chargeOf(account, await chat({}));
    const dearer = { input: 300_000_000n, output: 1_200_000_000n };
    expect(after).toMatchObject({ lines: linesOf({ input: 8, output: 5 }, dearer) });
    expect(textAt(after, 'price_version')).toMatch(/^winter-/);
    expect(await pricing(account)).toMatchObject({ version: textAt(after, 'price_version'), upcoming: [] });
    expect(await recordOf(gateway, account, at(first, 'request_id'))).toEqual(first);
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(first) - costOf(across) - costOf(after));
  });
});
