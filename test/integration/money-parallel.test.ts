import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { lineNanos } from '@tollgate/test-support/gateway/money';
import { afterAll, describe, expect, it } from 'vitest';
import { Auditor } from './support/database.ts';
import { withGateway } from './support/shared-gateway.ts';
import { readShortage } from './support/shortage.ts';

const CLIENTS = 200;
const PAID_FOR = 10;
const LIMIT = 200;
const INPUT_TOKENS = 8;
let gateway: Gateway;
let auditor: Auditor;

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
  auditor = new Auditor(gateway.stack.facts.database_url);
});
afterAll(() => auditor.close());

function request(controls: Record<string, unknown>): object {
  return { model: 'small', messages: say('Hi'), max_tokens: LIMIT, ...simulate(controls) };
}

async function holdOf(body: object): Promise<bigint> {
  const poor = await gateway.accounts.create(0n);
  return readShortage(await gateway.chat(poor.key, body)).neededNanos;
}

function kindOf(response: WireResponse): string {
  return response.status === 200 ? 'responded' : String(at(response.json, 'error', 'type'));
}

function count(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Expects records, balance and books to agree. */
async function expectBooked(account: Account, paidIn: bigint, responded: number): Promise<void> {
  await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(responded);
  const records = await allRecords(gateway, account);
  const spent = records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  expect(await balanceOf(gateway, account)).toBe(paidIn - spent);
  expect(await auditor.books(account.accountId)).toMatchObject({ revenue: spent, deposits: -paidIn, operatorLoss: 0n });
}

describe('200 requests at once that use their full limit, on a balance for exactly 10', () => {
  it('10 succeed; the others get 429 while the credit is held, then insufficient_balance', async () => {
    // Slower than the wait for credit, so that all others get 429.
    const body = request({ output_tokens: 'max', head_delay_ms: 4_000 });
    const balance = BigInt(PAID_FOR) * (await holdOf(body));
    const account = await gateway.accounts.create(balance);
    const watch = auditor.watch(account.accountId);
    const responses = await Promise.all(Array.from({ length: CLIENTS }, () => gateway.chat(account.key, body)));
    expect(count(responses.map(kindOf))).toEqual({ responded: PAID_FOR, rate_limit_exceeded: CLIENTS - PAID_FOR });
    for (const response of responses) {
      if (response.status === 200) continue;
      expect(response.status).toBe(429);
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(response.headers['x-should-retry']).toBeUndefined();
    }
    const later = await Promise.all(Array.from({ length: 20 }, () => gateway.chat(account.key, body)));
    for (const response of later) readShortage(response);
    expect(await watch.stop()).toBeGreaterThanOrEqual(0n);
    await expectBooked(account, balance, PAID_FOR);
  });

  it('fast ones: exactly 10 succeed', async () => {
    const body = request({ output_tokens: 'max', head_delay_ms: 200 });
    const balance = BigInt(PAID_FOR) * (await holdOf(body));
    const account = await gateway.accounts.create(balance);
    const watch = auditor.watch(account.accountId);
    const responses = await Promise.all(
      Array.from({ length: CLIENTS }, (_, index) => gateway.chat(account.key, { ...body, stream: index % 2 === 0 })),
    );
    const counts = count(responses.map(kindOf));
    expect(counts['responded']).toBe(PAID_FOR);
    expect((counts['insufficient_balance'] ?? 0) + (counts['rate_limit_exceeded'] ?? 0)).toBe(CLIENTS - PAID_FOR);
    expect(await watch.stop()).toBeGreaterThanOrEqual(0n);
    await expectBooked(account, balance, PAID_FOR);
  });
});

describe('200 clients at once whose responses are far shorter than their limit', () => {
  it('as many succeed as the balance pays, with retries after 429', async () => {
    const output = 5;
    const body = request({ output_tokens: output, head_delay_ms: 20 });
    const hold = await holdOf(body);
    const cost = lineNanos(INPUT_TOKENS, RATES.small.input) + lineNanos(output, RATES.small.output);
    const paidFor = 80n;
    // After 79 responses exactly one hold is left, after 80 slightly less.
    const balance = hold + (paidFor - 1n) * cost;
    const account = await gateway.accounts.create(balance);
    const watch = auditor.watch(account.accountId);
    const kinds = await Promise.all(Array.from({ length: CLIENTS }, () => untilDecided(account, body)));
    expect(count(kinds)).toEqual({ responded: Number(paidFor), insufficient_balance: CLIENTS - Number(paidFor) });
    expect(await watch.stop()).toBeGreaterThanOrEqual(0n);
    await expectBooked(account, balance, Number(paidFor));
    expect(await balanceOf(gateway, account)).toBe(hold - cost);
  });

  /** Retries after each 429. */
  async function untilDecided(account: Account, body: object): Promise<string> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const response = await gateway.chat(account.key, body);
      if (response.status !== 429) return kindOf(response);
      await delay(Number(response.headers['retry-after-ms'] ?? 1_000));
    }
    return 'never decided';
  }
});

it('many accounts at once do not affect each other', async () => {
  const body = request({ output_tokens: 'max' });
  const hold = await holdOf(body);
  const accounts = await Promise.all(Array.from({ length: 20 }, () => gateway.accounts.create(3n * hold)));
  const counts = await Promise.all(
    accounts.map(async (account) => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => gateway.chat(account.key, body)));
      await expectBooked(account, 3n * hold, responses.filter((response) => response.status === 200).length);
      return responses.filter((response) => response.status === 200).length;
    }),
  );
  expect(counts).toEqual(accounts.map(() => 3));
});
