import { allRecords, balanceOf, costOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';

const BALANCE = 10_000_000_000n;
const JOURNAL_MAX_BYTES = 64 * 1024;
/** A fifth of it is for charging requests that outlast the stop, which includes loading the encoding that counts tokens. */
const SHUTDOWN_GRACE_MS = 8_000;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 50, ...simulate({ output_tokens: 3 }) };
let gateway: Gateway;

beforeAll(async () => {
  // Sessions outlast the ledger outage of this test: only the journal ends the calls.
  gateway = await startGateway({
    env: {
      JOURNAL_MAX_BYTES: String(JOURNAL_MAX_BYTES),
      SESSION_TTL_MS: '120000',
      SHUTDOWN_GRACE_MS: String(SHUTDOWN_GRACE_MS),
    },
  });
});
afterAll(() => gateway.stop());

it('a ledger outage beyond the capacity of the journal: calls are rejected, and no response goes uncharged', async () => {
  const account = await gateway.accounts.create(BALANCE);
  expect((await gateway.chat(account.key, CALL)).status).toBe(200);
  await gateway.stack.kill('ledger');
  let responded = 1;
  let refused = await gateway.chat(account.key, CALL);
  while (refused.status === 200) {
    responded += 1;
    refused = await gateway.chat(account.key, CALL);
  }
  expectModelError(refused, { status: 503, type: 'internal_error' });
  expect(refused.text).toContain('journal');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(responded).toBeGreaterThan(10);
  const refusals = await Promise.all(Array.from({ length: 20 }, () => gateway.chat(account.key, CALL)));
  for (const { status } of refusals) expect(status).toBe(503);

  await gateway.stack.restart('ledger');
  await expect.poll(async () => (await gateway.chat(account.key, CALL)).status).toBe(200);
  await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(responded + 1);
  const other = await gateway.accounts.create(BALANCE);
  await expect.poll(async () => (await gateway.chat(other.key, CALL)).status).toBe(200);
  const spent = (await allRecords(gateway, account)).reduce<bigint>((sum, record) => sum + costOf(record), 0n);
  expect(await balanceOf(gateway, account)).toBe(BALANCE - spent);
});

it('a stop shorter than the open calls: each has its record, and its delivered output is charged', async () => {
  const account = await gateway.accounts.create(BALANCE);
  const minutes = { output_tokens: 6_000, token_delay_ms: 50 };
  // Read to its end even without its client.
  const streaming = { model: 'drained', messages: say('Hi'), stream: true, ...simulate(minutes) };
  const stream = await open(gateway.baseUrl, chatRequest(account.key, streaming));
  expect(stream.statusCode).toBe(200);
  await readEvents(stream, 10);
  stream.on('error', () => undefined);
  const buffered = gateway.chat(account.key, { ...CALL, ...simulate({ ...minutes, head_delay_ms: 120_000 }) });
  const broken = expect(buffered).rejects.toThrow();
  await expect.poll(() => gateway.simulator.recorder.stats.open).toBe(2);
  await gateway.stack.restart('ingress');
  await broken;
  await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(2);
  const records = await allRecords(gateway, account);
  const streamed = records.find((record) => at(record, 'streamed') === true);
  expect(streamed).toMatchObject({ status: 'cancelled' });
  expect(at(streamed, 'request_id')).toBe(stream.headers['x-request-id']);
  expect(at(streamed, 'usage', 'output')).toBeGreaterThanOrEqual(10);
  const unanswered = records.find((record) => at(record, 'streamed') === false);
  expect(unanswered).toMatchObject({ status: 'cancelled', cost: '0', lines: [] });
  expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(streamed));
});
