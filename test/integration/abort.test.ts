import { connect } from 'node:net';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import { chatRequest, type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { open, sendAndLeave } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { lineNanos } from '@tollgate/test-support/gateway/money';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const INPUT_TOKENS = 8;
const SETTLED = { timeout: 30_000, interval: 50 };
let gateway: Gateway;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
});

/** A text that identifies the provider's record of a call. */
let marks = 0;
function mark(): string {
  marks += 1;
  return `m${marks}.`;
}

function upstreamCall(text: string) {
  return gateway.simulator.recorder.list().find((call) => call.body?.includes(text));
}

/** The account's only record, after waiting for it. */
async function onlyRecord(account: Account): Promise<unknown> {
  await expect.poll(async () => (await allRecords(gateway, account)).length, SETTLED).toBe(1);
  const [record] = await allRecords(gateway, account);
  return record;
}

async function expectBooked(account: Account, record: unknown): Promise<void> {
  expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
}

describe('a client that disconnects from a stream', () => {
  it('midway: aborts the upstream call and charges the delivered output', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const text = mark();
    const body = {
      model: 'small',
      messages: say(text),
      stream: true,
      ...simulate({ output_tokens: 400, token_delay_ms: 20 }),
    };
    const stream = await open(gateway.baseUrl, chatRequest(account.key, body));
    await readEvents(stream, 15);
    stream.destroy();
    await expect.poll(() => upstreamCall(text)?.state, SETTLED).toBe('aborted');
    const events = upstreamCall(text)?.events ?? 0;
    expect(events).toBeLessThan(200);
    const record = await onlyRecord(account);
    expect(record).toMatchObject({ status: 'cancelled', streamed: true, usage_estimated: true });
    expect(at(record, 'request_id')).toBe(stream.headers['x-request-id']);
    // At least what the client received, at most what the provider sent.
    expect(at(record, 'usage', 'output')).toBeGreaterThanOrEqual(10);
    expect(at(record, 'usage', 'output')).toBeLessThanOrEqual(2 * events);
    await expectBooked(account, record);
  });

  it('of a model that is billed to its end: reads the rest and charges all of it', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const text = mark();
    const body = {
      model: 'drained',
      messages: say('Hi'),
      user: text,
      stream: true,
      ...simulate({ output_tokens: 60, token_delay_ms: 10 }),
    };
    const stream = await open(gateway.baseUrl, chatRequest(account.key, body));
    await readEvents(stream, 5);
    stream.destroy();
    const record = await onlyRecord(account);
    expect(upstreamCall(text)?.state).toBe('finished');
    expect(record).toMatchObject({ status: 'cancelled', usage_estimated: false });
    expect(at(record, 'usage')).toEqual({ input: INPUT_TOKENS, output: 60 });
    expect(costOf(record)).toBe(lineNanos(INPUT_TOKENS, RATES.small.input) + lineNanos(60, RATES.small.output));
    await expectBooked(account, record);
  });

  it('before its first byte: aborts the upstream call and charges no more', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const text = mark();
    const controls = { output_tokens: 400, head_delay_ms: 600, token_delay_ms: 50 };
    const body = { model: 'small', messages: say(text), stream: true, ...simulate(controls) };
    await sendAndLeave(gateway.baseUrl, chatRequest(account.key, body), () =>
      expect.poll(() => upstreamCall(text)?.state, SETTLED).toBe('open'),
    );
    await expect.poll(() => upstreamCall(text)?.state, SETTLED).toBe('aborted');
    const record = await onlyRecord(account);
    expect(record).toMatchObject({ status: 'cancelled', first_token_ms: null });
    expect(costOf(record)).toBeLessThan(lineNanos(30, RATES.small.output));
    await expectBooked(account, record);
  });

  it('before a failure of the provider: charges nothing', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const text = mark();
    const body = {
      model: 'breakable-1',
      messages: say(text),
      stream: true,
      ...simulate({ fail: 500, head_delay_ms: 400 }),
    };
    await sendAndLeave(gateway.baseUrl, chatRequest(account.key, body), () =>
      expect.poll(() => upstreamCall(text)?.state, SETTLED).toBe('open'),
    );
    expect(await onlyRecord(account)).toMatchObject({ cost: '0', lines: [] });
    expect(await balanceOf(gateway, account)).toBe(BALANCE);
  });
});

describe('a client that disconnects from a buffered response', () => {
  it('is charged for it, because the provider bills it', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const text = mark();
    const body = {
      model: 'small',
      messages: say('Hi'),
      user: text,
      ...simulate({ output_tokens: 40, head_delay_ms: 500 }),
    };
    await sendAndLeave(gateway.baseUrl, chatRequest(account.key, body), () =>
      expect.poll(() => upstreamCall(text)?.state, SETTLED).toBe('open'),
    );
    const record = await onlyRecord(account);
    expect(upstreamCall(text)?.state).toBe('finished');
    expect(record).toMatchObject({ status: 'cancelled', streamed: false, usage: { input: INPUT_TOKENS, output: 40 } });
    await expectBooked(account, record);
  });
});

describe('a client that disconnects before it is served', () => {
  it('within its own body: calls and records nothing', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const calls = gateway.simulator.recorder.stats.calls;
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.key}\r\n`;
    socket.write(`${head}content-type: application/json\r\ncontent-length: 100000\r\n\r\n{"model":"small"`);
    await new Promise((resolve) => socket.once('ready', resolve));
    socket.resetAndDestroy();
    expect((await gateway.chat(account.key, { model: 'small', messages: say('Hi') })).status).toBe(200);
    await onlyRecord(account);
    expect(gateway.simulator.recorder.stats.calls).toBe(calls + 1);
  });

  it('while it waits for held credit: the credit goes to the next', async () => {
    // Enough credit for one request at a time.
    const account = await gateway.accounts.create(400_000n);
    const held = mark();
    const slow = {
      model: 'small',
      messages: say(held),
      max_tokens: 500,
      ...simulate({ output_tokens: 1, head_delay_ms: 4_000 }),
    };
    const first = gateway.chat(account.key, slow);
    await expect.poll(() => upstreamCall(held)?.state, SETTLED).toBe('open');
    const left = mark();
    const impatient = { model: 'small', messages: say(left), max_tokens: 500, ...simulate({ output_tokens: 1 }) };
    await sendAndLeave(
      gateway.baseUrl,
      chatRequest(account.key, impatient),
      () => new Promise((resolve) => setTimeout(resolve, 200)),
    );
    expect((await first).status).toBe(200);
    expect((await gateway.chat(account.key, { ...impatient, messages: say('Hi') })).status).toBe(200);
    expect(upstreamCall(left)).toBeUndefined();
    await expect.poll(async () => (await allRecords(gateway, account)).length, SETTLED).toBe(2);
  });
});

it('releases the holds of disconnected clients', async () => {
  const account = await gateway.accounts.create(BALANCE);
  const text = mark();
  const body = {
    model: 'small',
    messages: say(text),
    stream: true,
    ...simulate({ output_tokens: 400, token_delay_ms: 20 }),
  };
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => open(gateway.baseUrl, chatRequest(account.key, body))),
  );
  for (const stream of streams) stream.destroy();
  await expect.poll(async () => (await allRecords(gateway, account)).length, SETTLED).toBe(20);
  const records = await allRecords(gateway, account);
  const spent = records.reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  const left = BALANCE - spent;
  // The rest can be held again at once.
  const buffered = { model: 'small', messages: say('Hi'), max_tokens: 1_000, ...simulate({ output_tokens: 1 }) };
  const response = await gateway.chat(account.key, buffered);
  const last = await recordOf(gateway, account, response.headers['x-request-id']);
  expect(await balanceOf(gateway, account)).toBe(left - costOf(last));
  await expect
    .poll(async () =>
      at((await gateway.send({ path: '/v1/billing/balance', headers: { 'x-api-key': account.key } })).json, 'held'),
    )
    .toBe('0');
});
