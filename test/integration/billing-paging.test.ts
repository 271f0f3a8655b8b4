import { DepositKind } from '@tollgate/proto/ledger';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, billing, costOf, recently } from '@tollgate/test-support/gateway/billing';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectBillingError } from './support/errors.ts';
import { type PastCharge, postPastCharges } from './support/past-charges.ts';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let gateway: Gateway;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
});

const iso = (ms: number) => new Date(ms).toISOString();
const idsOf = (page: WireResponse) => listAt(page.json, 'data').map((record) => at(record, 'request_id'));

/** Calls the model. @returns the request id */
async function call(account: Account, controls: Record<string, unknown> = {}, text = 'Hi'): Promise<string> {
  const body = { model: 'small', messages: say(text), ...simulate({ output_tokens: 1, ...controls }) };
  const response = await gateway.chat(account.key, body);
  expect(response.status).toBe(200);
  return String(response.headers['x-request-id']);
}

/** Reads a list to its end and calls a function after each page. */
async function readPages(
  account: Account,
  path: string,
  afterPage: (page: number) => Promise<unknown>,
): Promise<WireResponse[]> {
  const pages: WireResponse[] = [];
  let cursor: unknown = '';
  while (cursor !== null) {
    const page = await billing(gateway, account, `${path}&cursor=${encodeURIComponent(String(cursor))}`);
    expect({ status: page.status, text: page.status === 200 ? '' : page.text }).toEqual({ status: 200, text: '' });
    pages.push(page);
    cursor = at(page.json, 'next_cursor');
    await afterPage(pages.length);
  }
  return pages;
}

describe('cursors', () => {
  it('return every record once, while newer ones arrive and an older request ends', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const slow = call(account, { head_delay_ms: 8_000 }, 'the slow one');
    const isOpen = () => gateway.simulator.recorder.list().some((each) => each.body?.includes('the slow one'));
    await expect.poll(isOpen, { interval: 20 }).toBe(true);
    const quick: string[] = [];
    for (let index = 0; index < 5; index += 1) quick.push(await call(account));
    await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(5);
    const pages = await readPages(account, `requests?${recently()}&limit=2`, async (page) => {
      await call(account);
      if (page !== 2) return;
      // Its record is added behind the current position.
      const id = await slow;
      const all = async () => idsOf(await billing(gateway, account, `requests?${recently()}`));
      await expect.poll(all).toContain(id);
    });
    expect(pages.map((page) => idsOf(page).length)).toEqual([2, 2, 2]);
    expect(pages.flatMap(idsOf)).toEqual([...quick.reverse(), await slow]);
  });

  it('end with the last full page', async () => {
    const account = await gateway.accounts.create(BALANCE);
    for (let index = 0; index < 4; index += 1) await call(account);
    await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(4);
    const sizes = async (limit: number) =>
      (await readPages(account, `requests?${recently()}&limit=${limit}`, async () => undefined)).map(
        (page) => idsOf(page).length,
      );
    expect(await sizes(4)).toEqual([4]);
    expect(await sizes(2)).toEqual([2, 2]);
    expect(await sizes(3)).toEqual([3, 1]);
  });

  it('of another list, account or filter are rejected; another range or limit is accepted', async () => {
    const account = await gateway.accounts.create(BALANCE);
    await gateway.accounts.deposit(account.accountId, 5n, DepositKind.ADJUSTMENT);
    for (let index = 0; index < 3; index += 1) await call(account);
    await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(3);
    const first = await billing(gateway, account, `requests?${recently()}&limit=1&model=small`);
    const cursor = encodeURIComponent(textAt(first.json, 'next_cursor'));
    const other = await gateway.accounts.create(BALANCE);
    for (const [who, path] of [
      [account, `deposits?${recently()}`],
      [account, `requests?${recently()}`],
      [account, `requests?${recently()}&model=odd`],
      [account, `requests?${recently()}&model=small&status=completed`],
      [other, `requests?${recently()}&model=small`],
    ] as const) {
      const refused = await billing(gateway, who, `${path}&cursor=${cursor}`);
      expectBillingError(refused, 400, 'invalid_request', /^cursor belongs to another list/);
    }
    const rest = await billing(gateway, account, `requests?${recently()}&limit=9&model=small&cursor=${cursor}`);
    expect(idsOf(rest)).toHaveLength(2);
  });

  it('return every deposit once while new ones arrive', async () => {
    const account = await gateway.accounts.create(1n);
    for (let amount = 2n; amount <= 6n; amount += 1n)
      await gateway.accounts.deposit(account.accountId, amount, DepositKind.ADJUSTMENT);
    const pages = await readPages(account, `deposits?${recently()}&limit=2`, () =>
      gateway.accounts.deposit(account.accountId, 100n, DepositKind.ADJUSTMENT),
    );
    const amounts = pages.flatMap((page) => listAt(page.json, 'data')).map((each) => nanos(textAt(each, 'amount')));
    expect(amounts).toEqual([6n, 5n, 4n, 3n, 2n, 1n]);
  });
});

describe('usage over the past weeks', () => {
  let account: Account;
  let secondKey: string;
  let charges: PastCharge[];
  const now = Date.now();
  const range = `start=${iso(now - 30 * DAY_MS)}&end=${iso(now)}`;

  beforeAll(async () => {
    account = await gateway.accounts.create(BALANCE);
    secondKey = (await gateway.accounts.createKey(account.accountId)).keyId;
    // Every nine hours, to cover all hours of the day, their edges, and at least one change of month.
    charges = Array.from({ length: 80 }, (_, index) => ({
      atMs: Math.floor((now - (index + 1) * 9 * HOUR_MS) / HOUR_MS) * HOUR_MS + (index % 3 === 0 ? 0 : HOUR_MS - 1),
      model: index % 2 === 0 ? 'small' : 'odd',
      keyId: index % 5 === 0 ? secondKey : account.keyId,
      costNanos: BigInt(1 + index),
    }));
    await postPastCharges(gateway.stack.facts.database_url, account.accountId, charges);
  });

  /** The start of a time's interval in UTC. */
  function startOf(interval: 'hour' | 'day' | 'month', ms: number): string {
    const date = new Date(ms);
    if (interval === 'month') return iso(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
    const step = interval === 'hour' ? HOUR_MS : DAY_MS;
    return iso(ms - (ms % step));
  }

  const combinations = (['hour', 'day', 'month'] as const).flatMap((interval) =>
    ['', 'model', 'key', 'model,key'].map((groups) => ({ interval, groups })),
  );
  it.each(combinations)('is summed by $interval and "$groups", in UTC', async ({ interval, groups }) => {
    const sums = new Map<string, { requests: number; nanos: bigint }>();
    for (const charge of charges) {
      const names = [startOf(interval, charge.atMs)];
      if (groups.includes('model')) names.push(charge.model);
      if (groups.includes('key')) names.push(charge.keyId);
      const sum = sums.get(names.join()) ?? { requests: 0, nanos: 0n };
      sums.set(names.join(), { requests: sum.requests + 1, nanos: sum.nanos + charge.costNanos });
    }
    const query = `usage?${range}&interval=${interval}${groups === '' ? '' : `&group_by=${groups}`}`;
    const { json } = await billing(gateway, account, query);
    const rows = listAt(json, 'data').map((row) => {
      const names = ['start', ...groups.split(',').map((group) => (group === 'key' ? 'key_id' : group))];
      const name = names.flatMap((field) => (field === '' ? [] : [textAt(row, field)])).join();
      expect(Object.keys(Object(row)).sort()).toEqual(
        [...names.filter((field) => field !== ''), 'requests', 'usage', 'cost', 'currency'].sort(),
      );
      return [name, { requests: at(row, 'requests'), nanos: nanos(textAt(row, 'cost')) }] as const;
    });
    expect(rows.map(([name]) => name)).toEqual([...new Set(rows.map(([name]) => name))]);
    expect(new Map(rows)).toEqual(sums);
    const starts = listAt(json, 'data').map((row) => textAt(row, 'start'));
    expect(starts).toEqual([...starts].sort());
  });

  it('agrees with the records, also over a change of month', async () => {
    const pages = await readPages(account, `requests?${range}&limit=7`, async () => undefined);
    const records = pages.flatMap((page) => listAt(page.json, 'data'));
    expect(records).toHaveLength(charges.length);
    const startedAt = records.map((record) => Date.parse(textAt(record, 'started_at')));
    expect(startedAt).toEqual(charges.map((charge) => charge.atMs));
    const total = charges.reduce((sum, charge) => sum + charge.costNanos, 0n);
    expect(records.reduce<bigint>((sum, record) => sum + costOf(record), 0n)).toBe(total);
  });
});
