import { setTimeout as delay } from 'node:timers/promises';
import { minBigInt } from '@tollgate/common/money';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Auditor } from './support/database.ts';
import { readShortage } from './support/shortage.ts';

const INGRESSES = 3;
const LEDGERS = 2;
const REQUESTS = 500;
const PAID_FOR = 50;
/** Output limits of the requests, in rotation. */
const SIZES = [50, 400, 120, 1_000, 200, 70, 640, 90, 310, 150];

/** The other status for retries, if requests stop waiting for the ledger on a busy machine. */
const COME_AGAIN = 503;

let gateway: Gateway;
let auditor: Auditor;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: INGRESSES, ledgers: LEDGERS });
  auditor = new Auditor(gateway.stack.facts.database_url);
});
afterAll(async () => {
  await auditor.close();
  await gateway.stop();
});

function chatAt(ingress: number, account: Account, body: object): Promise<WireResponse> {
  const url = gateway.stack.facts.base_urls[ingress % INGRESSES];
  if (url === undefined) throw new Error(`unknown ingress ${ingress}`);
  return send(url, chatRequest(account.key, body));
}

function request(limit: number, controls: Record<string, unknown>): object {
  return { model: 'small', messages: say('Hi'), max_tokens: limit, ...simulate(controls) };
}

async function holdsBySize(): Promise<Map<number, bigint>> {
  const poor = await gateway.accounts.create(0n);
  const holds = new Map<number, bigint>();
  for (const size of SIZES) {
    const ask = () => chatAt(0, poor, request(size, {}));
    let response = await ask();
    for (let again = 0; response.status === COME_AGAIN && again < 10; again += 1) response = await ask();
    holds.set(size, readShortage(response).neededNanos);
  }
  return holds;
}

/** The time of a rejection for lack of balance. */
interface Refused {
  neededNanos: bigint;
  balanceNanos: bigint;
  atMs: number;
}

interface Outcome {
  responded: number;
  refused: Refused[];
  /** Number of responses with Retry-After. */
  busy: number;
}

/** Sends all requests at once, retrying each until it is served or rejected for lack of balance. */
async function run(account: Account, controlsOf: (size: number) => Record<string, unknown>): Promise<Outcome> {
  const outcome: Outcome = { responded: 0, refused: [], busy: 0 };
  const one = async (index: number) => {
    const size = SIZES[index % SIZES.length] ?? 0;
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const response = await chatAt(index + attempt, account, request(size, controlsOf(size)));
      if (response.status === 200) {
        outcome.responded += 1;
        return;
      }
      if (response.status !== 429 && response.status !== COME_AGAIN) {
        outcome.refused.push({ ...readShortage(response), atMs: Date.now() });
        return;
      }
      expect(at(response.json, 'error', 'type')).toBe(
        response.status === 429 ? 'rate_limit_exceeded' : 'internal_error',
      );
      outcome.busy += 1;
      await delay(Number(response.headers['retry-after-ms'] ?? 1_000));
    }
    throw new Error('a request got Retry-After 50 times');
  };
  await Promise.all(Array.from({ length: REQUESTS }, (_, index) => one(index)));
  return outcome;
}

/** Expects records, balance and books to agree, and no rejection while the balance was sufficient. */
async function expectFair(account: Account, paidIn: bigint, outcome: Outcome): Promise<bigint> {
  await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(outcome.responded);
  const records = (await allRecords(gateway, account)).map((record) => ({
    cost: costOf(record),
    endMs: Date.parse(textAt(record, 'started_at')) + Number(at(record, 'duration_ms')),
  }));
  const spent = records.reduce((sum, { cost }) => sum + cost, 0n);
  const left = paidIn - spent;
  expect(left).toBeGreaterThanOrEqual(0n);
  expect(await balanceOf(gateway, account)).toBe(left);
  expect(await auditor.books(account.accountId)).toMatchObject({ revenue: spent, deposits: -paidIn, operatorLoss: 0n });
  for (const { neededNanos, balanceNanos, atMs } of outcome.refused) {
    const spentBefore = records.filter(({ endMs }) => endMs <= atMs).reduce((sum, { cost }) => sum + cost, 0n);
    expect(paidIn - spentBefore).toBeLessThan(neededNanos);
    expect(balanceNanos).toBeLessThan(neededNanos);
  }
  return left;
}

function smallestRefused(outcome: Outcome): bigint {
  return outcome.refused.reduce((min, { neededNanos }) => minBigInt(neededNanos, min), 10n ** 18n);
}

describe('500 requests at once of mixed sizes at 3 ingresses and 2 ledgers, on a balance for 50', () => {
  it.each([
    ['that use their full limit', () => ({ output_tokens: 'max', head_delay_ms: 100 })],
    ['that use a tenth of it', (size: number) => ({ output_tokens: Math.floor(size / 10), head_delay_ms: 100 })],
  ])('%s', async (_, controlsOf) => {
    const holds = await holdsBySize();
    const inTurn = Array.from(
      { length: PAID_FOR },
      (_each, index) => holds.get(SIZES[index % SIZES.length] ?? 0) ?? 0n,
    );
    const balance = inTurn.reduce((sum, hold) => sum + hold, 0n);
    const account = await gateway.accounts.create(balance);
    const watch = auditor.watch(account.accountId);
    const outcome = await run(account, controlsOf);
    expect(await watch.stop()).toBeGreaterThanOrEqual(0n);
    const left = await expectFair(account, balance, outcome);
    expect(outcome.responded).toBeGreaterThanOrEqual(PAID_FOR / 2);
    expect(outcome.responded + outcome.refused.length).toBe(REQUESTS);
    expect(outcome.refused.length).toBeGreaterThan(0);
    expect(left).toBeLessThan(smallestRefused(outcome));
  });
});

describe('credit that is idle on one ingress', () => {
  it('serves requests at ingresses of another ledger without retries', async () => {
    const hold = (await holdsBySize()).get(1_000) ?? 0n;
    const account = await gateway.accounts.create(hold + hold / 2n);
    const body = request(1_000, { output_tokens: 1 });
    for (const ingress of [0, 1, 2, 1, 0]) expect((await chatAt(ingress, account, body)).status).toBe(200);
  });
});
