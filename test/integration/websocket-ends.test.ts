import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { openSocket, refusedUpgrade, type TestSocket } from './support/response-socket.ts';

const BALANCE = 1_000_000_000n;
const SETTLED = { timeout: 30_000, interval: 50 };
/** Half of it, an account's share, is a little more than the sockets of a key. */
const SOCKETS = 204;
const PER_KEY = 100;
const SLOW = directed('Hello', { output_tokens: 60, token_delay_ms: 30 });

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    env: { MAX_WEBSOCKETS: String(SOCKETS), STREAM_KEEP_ALIVE_MS: '1000' },
  });
});
afterAll(() => gateway.stop());

function newAccount(): Promise<Account> {
  return gateway.accounts.create(BALANCE);
}

/** Starts a slow response and waits for its first text. */
async function startSlow(socket: TestSocket): Promise<void> {
  socket.create({ model: 'small', input: SLOW });
  while ((await socket.next())['type'] !== 'response.output_text.delta');
}

describe('the key of a WebSocket', () => {
  it('deleted: closes an idle socket at once, and another at the end of its response', async () => {
    const { accountId } = await newAccount();
    const key = await gateway.accounts.createKey(accountId);
    const [idle, busy] = [await openSocket(gateway, key.key), await openSocket(gateway, key.key)];
    await startSlow(busy);
    await gateway.accounts.deleteKey(key.keyId);
    expect(await idle.closed).toEqual({ code: 1008, reason: expect.stringContaining('deleted') });
    expect((await busy.rest()).at(-1)).toMatchObject({ type: 'response.completed' });
    expect(await busy.closed).toMatchObject({ code: 1008 });
    const refused = await refusedUpgrade(gateway, '/v1/responses', { authorization: `Bearer ${key.key}` });
    expectModelError(refused, { status: 401, type: 'invalid_bearer_token' });
  });

  it('of a suspended account: closes its sockets', async () => {
    const { accountId, key } = await newAccount();
    const socket = await openSocket(gateway, key);
    await gateway.accounts.suspend(accountId);
    expect(await socket.closed).toEqual({ code: 1008, reason: expect.stringContaining('suspended') });
  });

  it('that expires: closes its sockets', async () => {
    const { accountId } = await newAccount();
    const key = await gateway.accounts.createKey(accountId, { expiresAtMs: Date.now() + 2_000 });
    const socket = await openSocket(gateway, key.key);
    const started = performance.now();
    // Keeps the socket from being idle.
    const keepBusy = setInterval(() => socket.create({ model: 'small', input: 'Hello' }), 500);
    expect(await socket.closed).toEqual({ code: 1008, reason: expect.stringContaining('expired') });
    clearInterval(keepBusy);
    expect(performance.now() - started).toBeLessThan(25_000);
    expect(socket.events.some((event) => event['status'] === 401)).toBe(true);
  });
});

it('a key has a limited number of sockets, and so have an account and the process', async () => {
  const accounts = [await newAccount(), await newAccount()];
  const sockets: TestSocket[] = [];
  for (const { accountId, key } of accounts) {
    for (let count = 0; count < PER_KEY; count++) sockets.push(await openSocket(gateway, key));
    const ofKey = await refusedUpgrade(gateway, '/v1/responses', { authorization: `Bearer ${key}` });
    expectModelError(ofKey, { status: 429, type: 'rate_limit_exceeded', message: /key has 100 open WebSocket/ });
    expect(ofKey.headers['retry-after']).toBe('5');
    const other = await gateway.accounts.createKey(accountId);
    while (sockets.length % (SOCKETS / 2) !== 0) sockets.push(await openSocket(gateway, other.key));
    const ofAccount = await refusedUpgrade(gateway, '/v1/responses', { authorization: `Bearer ${other.key}` });
    expectModelError(ofAccount, {
      status: 429,
      type: 'rate_limit_exceeded',
      message: /account has 102 open WebSocket/,
    });
  }
  const full = await refusedUpgrade(gateway, '/responses', { 'x-api-key': (await newAccount()).key });
  expectModelError(full, { status: 503, type: 'internal_error', message: /no more WebSocket/ });
  await Promise.all(sockets.map((socket) => socket.close()));
  await (await openSocket(gateway, accounts[0]?.key ?? '')).close();
});

it('an account without credit has fewer sockets, until it has some', async () => {
  const { accountId, key } = await gateway.accounts.create(0n);
  const sockets: TestSocket[] = [];
  while (sockets.length < Math.floor(SOCKETS / 16)) sockets.push(await openSocket(gateway, key));
  const refused = await refusedUpgrade(gateway, '/v1/responses', { authorization: `Bearer ${key}` });
  expectModelError(refused, { status: 429, type: 'rate_limit_exceeded', message: /no credit \(top up at http/ });
  await gateway.accounts.deposit(accountId, BALANCE);
  sockets.push(await openSocket(gateway, key));
  await Promise.all(sockets.map((socket) => socket.close()));
});

it('a slow reader stops its provider, and gets everything', async () => {
  const { key } = await newAccount();
  const socket = await openSocket(gateway, key);
  const mark = `slow reader ${Date.now()}`;
  socket.ws.pause();
  socket.create({ model: 'small', input: directed(mark, { output_tokens: 120_000, ignore_limit: true }) });
  const call = () => gateway.simulator.recorder.list().find(({ body }) => body?.includes(mark));
  await expect.poll(() => call()?.events ?? 0, SETTLED).toBeGreaterThan(100);
  let events = -1;
  await expect
    .poll(
      () => {
        const now = call()?.events ?? 0;
        const isSteady = now === events;
        events = now;
        return isSteady;
      },
      { timeout: 30_000, interval: 500 },
    )
    .toBe(true);
  expect(call()?.state).toBe('open');
  socket.ws.resume();
  const rest = await socket.rest();
  expect(rest.at(-1)?.['type']).toMatch(/^response\.(completed|incomplete)$/);
  expect(rest.map((event) => event['sequence_number'])).toEqual(rest.map((_, index) => index));
  await socket.close();
});

describe('an ingress', () => {
  it('that is stopped closes idle sockets at once, and others after their response', async () => {
    const account = await newAccount();
    const [idle, busy] = [await openSocket(gateway, account.key), await openSocket(gateway, account.key)];
    await startSlow(busy);
    const restarted = gateway.stack.restart('ingress');
    expect(await idle.closed).toEqual({ code: 1001, reason: expect.stringContaining('stopping') });
    expect((await busy.rest()).at(-1)).toMatchObject({ type: 'response.completed' });
    expect(await busy.closed).toMatchObject({ code: 1001 });
    await restarted;
    await expect.poll(async () => (await allRecords(gateway, account)).length, SETTLED).toBe(1);
  });

  it('that is killed charges nothing for an open response, and charges what has ended once', async () => {
    const account = await newAccount();
    const socket = await openSocket(gateway, account.key);
    const { type } = await socket.turn({ model: 'small', input: 'Hello' });
    expect(type).toBe('response.completed');
    await startSlow(socket);
    await gateway.stack.kill('ingress');
    expect(await socket.closed).toMatchObject({ code: 1006 });
    await gateway.stack.restart('ingress');
    await expect.poll(async () => (await allRecords(gateway, account)).length, SETTLED).toBe(1);
    const [record] = await allRecords(gateway, account);
    expect(at(record, 'status')).toBe('completed');
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
  });
});
