import { DepositKind } from '@tollgate/proto/ledger';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, billing, recently, recordOf } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { dollars, nanos } from '@tollgate/test-support/gateway/money';
import { describe, expect, it } from 'vitest';
import { expectBillingError, UUID } from './support/errors.ts';
import { type FourCalls, makeFourCalls } from './support/four-calls.ts';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const DAY_MS = 86_400_000;
let gateway: Gateway;
let account: Account;
let secondKey: FourCalls['secondKey'];

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  const calls = await makeFourCalls(gateway, BALANCE);
  ({ account, secondKey } = calls);
  // Waits for all records, so that the sums below are complete.
  for (const response of calls.responses) await recordOf(gateway, account, response.headers['x-request-id']);
});

function ask(path: string, from: { key: string } = account): Promise<WireResponse> {
  return gateway.send({ path: `/v1/billing/${path}`, headers: { authorization: `Bearer ${from.key}` } });
}

const iso = (ms: number) => new Date(ms).toISOString();

describe('GET /v1/billing/usage', () => {
  it('adds up the records by model and key', async () => {
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
  it('the balance is deposits minus charges', async () => {
    const records = await allRecords(gateway, account);
    const spent = records.reduce<bigint>((total, each) => total + nanos(textAt(each, 'cost')), 0n);
    const response = await billing(gateway, account, 'balance');
    expect(response.json).toEqual({
      balance: dollars(BALANCE - spent),
      held: expect.stringMatching(/^\d/),
      available: expect.stringMatching(/^\d/),
      owed: '0',
      suspended: false,
      currency: 'USD',
      lots: [
        {
          lot_id: expect.any(String),
          kind: 'paid',
          remaining: dollars(BALANCE - spent),
          amount: dollars(BALANCE),
          ends_at: null,
          created_at: expect.stringMatching(/Z$/),
        },
      ],
    });
    const amount = (name: string) => nanos(textAt(response.json, name));
    expect(amount('available')).toBe(amount('balance') - amount('held'));
  });

  it('shows what open requests hold', async () => {
    const own = await gateway.accounts.create(BALANCE);
    const open = gateway.chat(own.key, {
      model: 'small',
      messages: say('a hold that was just taken'),
      max_tokens: 1_000,
      ...simulate({ head_delay_ms: 10_000 }),
    });
    const isOpen = () =>
      gateway.simulator.recorder.list().some(({ body }) => body?.includes('a hold that was just taken'));
    await expect.poll(isOpen, { interval: 5 }).toBe(true);
    const held = async () => nanos(textAt((await billing(gateway, own, 'balance')).json, 'held'));
    expect(await held()).toBeGreaterThanOrEqual(600_000n);
    expect((await open).status).toBe(200);
    await expect.poll(held).toBe(0n);
  });

  it('of an account without deposits is zero', async () => {
    const poor = await gateway.accounts.create(0n);
    const { json } = await billing(gateway, poor, 'balance');
    expect(json).toEqual({
      balance: '0',
      held: '0',
      available: '0',
      owed: '0',
      suspended: false,
      currency: 'USD',
      lots: [],
    });
  });

  it('lists deposits and adjustments, newest first, in pages', async () => {
    const own = await gateway.accounts.create(5n);
    await gateway.accounts.deposit(own.accountId, 7n, DepositKind.ADJUSTMENT, 'a gift');
    await gateway.accounts.deposit(own.accountId, -2n, DepositKind.REFUND, 'taken back');
    const first = await ask(`deposits?${recently()}&limit=2`, own);
    expect(listAt(first.json, 'data')).toEqual([
      {
        deposit_id: expect.stringMatching(UUID),
        kind: 'refund',
        amount: '-0.000000002',
        owed: '0',
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

describe('GET /v1/billing/limits', () => {
  const balance = (of: Account, amount: bigint) => ({
    scope: 'account',
    id: of.accountId,
    name: null,
    window: null,
    amount: dollars(amount),
    spent: null,
    held: '0',
    left: dollars(amount),
    resets_at: null,
    currency: 'USD',
  });

  it('of a key without caps is the balance', async () => {
    const own = await gateway.accounts.create(BALANCE);
    expect((await billing(gateway, own, 'limits')).json).toEqual({ data: [balance(own, BALANCE)], next_cursor: null });
  });

  it('lists each cap of the key, with what is spent, held and left of it', async () => {
    const own = await gateway.accounts.create(BALANCE, { caps: { dayNanos: 2n * BALANCE, totalNanos: BALANCE } });
    const unused = listAt((await billing(gateway, own, 'limits')).json, 'data');
    expect(unused).toEqual([
      balance(own, BALANCE),
      expect.objectContaining({ scope: 'key', id: own.keyId, window: 'day', spent: '0', left: dollars(2n * BALANCE) }),
      expect.objectContaining({ window: 'total', amount: dollars(BALANCE), left: dollars(BALANCE), resets_at: null }),
    ]);
    expect(textAt(unused[1], 'resets_at')).toMatch(/T00:00:00\.000Z$/);
    const response = await gateway.chat(own.key, {
      model: 'small',
      messages: say('Hi'),
      ...simulate({ output_tokens: 3 }),
    });
    const cost = textAt(await recordOf(gateway, own, response.headers['x-request-id']), 'cost');
    for (const limit of listAt((await billing(gateway, own, 'limits')).json, 'data').slice(1)) {
      expect(limit).toMatchObject({ scope: 'key', id: own.keyId, spent: cost });
      const amount = (name: string) => nanos(textAt(limit, name));
      expect(amount('left')).toBe(amount('amount') - amount('spent') - amount('held'));
    }
  });
});
