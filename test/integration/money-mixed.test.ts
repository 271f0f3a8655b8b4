import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { BROKEN_MODELS, RATES } from '@tollgate/test-support/gateway/catalogue';
import { chatRequest, type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { open, parse, readText, sendAndLeave } from '@tollgate/test-support/gateway/http';
import { at, listAt, spelledNumber, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { afterAll, expect, it } from 'vitest';
import { Auditor } from './support/database.ts';
import { withGateway } from './support/shared-gateway.ts';

const REQUESTS = 5_200;
const WORKERS = 48;
const ACCOUNTS = 6;
const BALANCE = 10_000_000_000n;
const INPUT_TOKENS = 8;
let gateway: Gateway;
let auditor: Auditor;

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
  auditor = new Auditor(gateway.stack.facts.database_url);
});
afterAll(() => auditor.close());

/** A completely received response. */
interface Received {
  requestId: string;
  /** The expected charge, undefined if the usage had to be estimated. */
  cost: bigint | undefined;
  /** The cost in the response, if it has one. */
  reported: bigint | undefined;
}

/** The results of an account's requests. */
interface Tally {
  account: Account;
  received: Received[];
  left: number;
}

type Step = (tally: Tally, index: number) => Promise<void>;

/** Kinds of calls, weighted by repetition. */
const STEPS: Step[] = [
  buffered,
  buffered,
  streamed,
  streamed,
  buffered,
  unreported,
  refusedUpstream,
  brokenOff,
  leaveEarly,
  leaveMidway,
  malformed,
  failing,
];

function small(index: number, fields: object, controls: Record<string, unknown>): object {
  return { model: 'small', messages: say('Hi'), max_tokens: 60, user: `u${index}`, ...fields, ...simulate(controls) };
}

function costOfSmall(output: number, cached = 0): bigint {
  const { input, cache_read, output: rate } = RATES.small;
  return lineNanos(INPUT_TOKENS - cached, input) + lineNanos(cached, cache_read) + lineNanos(output, rate);
}

async function ask(tally: Tally, body: object | string) {
  const message = await open(gateway.baseUrl, chatRequest(tally.account.key, body));
  const text = await readText(message);
  const reported = spelledNumber(text, 'cost');
  return {
    status: message.statusCode ?? 0,
    text,
    requestId: String(message.headers['x-request-id']),
    reported: reported === undefined ? undefined : nanos(reported),
  };
}

async function buffered(tally: Tally, index: number): Promise<void> {
  const output = 1 + (index % 50);
  const cached = index % 7;
  const response = await ask(tally, small(index, {}, { output_tokens: output, cached_tokens: cached }));
  expect(response.status).toBe(200);
  tally.received.push({
    requestId: response.requestId,
    cost: costOfSmall(output, cached),
    reported: response.reported,
  });
}

async function streamed(tally: Tally, index: number): Promise<void> {
  const output = 1 + (index % 50);
  const requested = index % 2 === 0 ? { stream_options: { include_usage: true } } : {};
  const controls = { output_tokens: output, ...(index % 3 === 0 ? { token_delay_ms: 1 } : {}) };
  const response = await ask(tally, small(index, { stream: true, ...requested }, controls));
  expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(response.reported !== undefined).toBe(index % 2 === 0);
  tally.received.push({ requestId: response.requestId, cost: costOfSmall(output), reported: response.reported });
}

async function unreported(tally: Tally, index: number): Promise<void> {
  const controls = { output_tokens: 12, usage: index % 2 === 0 ? 'omit' : 'zero' };
  const response = await ask(tally, small(index, index % 3 === 0 ? { stream: true } : {}, controls));
  expect(response.status).toBe(200);
  tally.received.push({ requestId: response.requestId, cost: undefined, reported: response.reported });
}

async function refusedUpstream(tally: Tally, index: number): Promise<void> {
  const response = await ask(tally, small(index, {}, { fail: index % 2 === 0 ? 422 : 429 }));
  expect(response.status).toBe(index % 2 === 0 ? 400 : 429);
  tally.received.push({ requestId: response.requestId, cost: 0n, reported: undefined });
}

/** A model for failing calls, in rotation, so that none fails often enough to be taken out. */
function broken(index: number): string {
  return BROKEN_MODELS[index % BROKEN_MODELS.length] ?? '';
}

async function brokenOff(tally: Tally, index: number): Promise<void> {
  const response = await ask(tally, {
    ...small(index, { stream: true, model: broken(index) }, { output_tokens: 30, reset_after_events: 5 + (index % 9) }),
  });
  // A deployment that failed too often is out of rotation for a while: then nothing is called or charged.
  if (response.status === 400) return;
  expect(at(parse(response.text.slice(response.text.lastIndexOf('{"error"'))), 'error', 'code')).toBe(502);
  tally.received.push({ requestId: response.requestId, cost: undefined, reported: undefined });
}

async function failing(tally: Tally, index: number): Promise<void> {
  const response = await ask(
    tally,
    small(index, { model: broken(index) }, { fail: index % 2 === 0 ? 500 : 'garbage' }),
  );
  if (response.status === 400) return;
  expect(response.status).toBe(502);
  tally.received.push({ requestId: response.requestId, cost: 0n, reported: undefined });
}

async function leaveEarly(tally: Tally, index: number): Promise<void> {
  tally.left += 1;
  const body = small(index, index % 2 === 0 ? { stream: true } : {}, { output_tokens: 20, head_delay_ms: 10 });
  await sendAndLeave(
    gateway.baseUrl,
    chatRequest(tally.account.key, body),
    () => new Promise((resolve) => setTimeout(resolve, index % 20)),
  );
}

async function leaveMidway(tally: Tally, index: number): Promise<void> {
  tally.left += 1;
  const body = small(index, { stream: true }, { output_tokens: 40, token_delay_ms: 2 });
  const message = await open(gateway.baseUrl, chatRequest(tally.account.key, body));
  message.on('error', () => undefined);
  await new Promise((resolve) => message.once('data', resolve));
  message.destroy();
}

async function malformed(tally: Tally, index: number): Promise<void> {
  const response = await ask(tally, index % 2 === 0 ? '{"model":' : small(index, { messages: [] }, {}));
  expect(response.status).toBe(400);
}

it(`after ${REQUESTS} requests of all kinds, deposits less charges are the balance, and each response has its one charge`, {
  timeout: 180_000,
}, async () => {
  const tallies = await Promise.all(
    Array.from({ length: ACCOUNTS }, async (): Promise<Tally> => {
      return { account: await gateway.accounts.create(BALANCE), received: [], left: 0 };
    }),
  );
  let next = 0;
  const worker = async () => {
    while (next < REQUESTS) {
      const index = next;
      next += 1;
      const tally = tallies[index % ACCOUNTS];
      const step = STEPS[Math.floor(index / ACCOUNTS) % STEPS.length];
      if (tally !== undefined && step !== undefined) await step(tally, index);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  for (const tally of tallies) await expectBooked(tally);
  expect(await auditor.total()).toBe(0n);
  expect(await auditor.quarantined()).toBe(0);
});

async function expectBooked({ account, received, left }: Tally): Promise<void> {
  expect(received.length).toBeGreaterThan(500);
  // No credit is leased once every charge is committed and idle credit was returned.
  await expect.poll(async () => (await auditor.books(account.accountId)).leased).toBe(0n);
  const records = await allRecords(gateway, account);
  const byId = new Map(records.map((record) => [textAt(record, 'request_id'), record]));
  expect(byId.size).toBe(records.length);
  // There are also records of disconnected clients, some without a hold.
  expect(records.length).toBeGreaterThanOrEqual(received.length);
  expect(records.length).toBeLessThanOrEqual(received.length + left);
  for (const { requestId, cost, reported } of received) {
    const record = byId.get(requestId);
    expect({ requestId, found: record !== undefined }).toEqual({ requestId, found: true });
    if (cost !== undefined) expect({ requestId, cost: costOf(record) }).toEqual({ requestId, cost });
    if (reported !== undefined) expect({ requestId, reported: costOf(record) }).toEqual({ requestId, reported });
    expect(listAt(record, 'lines').reduce<bigint>((sum, line) => sum + nanos(textAt(line, 'amount')), 0n)).toBe(
      costOf(record),
    );
  }
  const spent = records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  expect(await balanceOf(gateway, account)).toBe(BALANCE - spent);
  expect(await auditor.books(account.accountId)).toMatchObject({
    revenue: spent,
    deposits: -BALANCE,
    operatorLoss: 0n,
  });
}
