import type { Account } from '@tollgate/test-support/gateway/accounts';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { IMPATIENT_MODELS, RATES } from '@tollgate/test-support/gateway/catalogue';
import { chatRequest, type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { open, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos } from '@tollgate/test-support/gateway/money';
import { readStream, type StreamResponse } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const INPUT_TOKENS = 8;
const NOTHING_CHARGED = 'Nothing was charged';
let gateway: Gateway;
const unused = IMPATIENT_MODELS.values();

withGateway.beforeAll(({ gateway: shared }) => {
  gateway = shared;
});

/** A model that no other test calls, so that its deployment is in rotation. */
function freshModel(): string {
  const next = unused.next();
  if (next.done === true) throw new Error('the catalogue needs more impatient models');
  return next.value;
}

interface Expected {
  status: number;
  type: string;
  message?: string | RegExp;
  retryAfter?: string;
}

const FAILURES: { fail: unknown; expected: Expected }[] = [
  { fail: 400, expected: { status: 400, type: 'invalid_request_error', message: 'temperature' } },
  { fail: 413, expected: { status: 400, type: 'invalid_request_error' } },
  { fail: 422, expected: { status: 400, type: 'invalid_request_error', message: 'messages[0].content' } },
  { fail: 401, expected: { status: 502, type: 'internal_error', message: NOTHING_CHARGED } },
  { fail: 402, expected: { status: 502, type: 'internal_error' } },
  { fail: 403, expected: { status: 502, type: 'internal_error' } },
  { fail: 'insufficient_quota', expected: { status: 502, type: 'internal_error' } },
  { fail: 404, expected: { status: 400, type: 'model_not_available', message: NOTHING_CHARGED } },
  { fail: 408, expected: { status: 504, type: 'internal_error', message: NOTHING_CHARGED } },
  { fail: 429, expected: { status: 429, type: 'rate_limit_exceeded', retryAfter: '7' } },
  { fail: 500, expected: { status: 502, type: 'internal_error' } },
  { fail: 502, expected: { status: 502, type: 'internal_error' } },
  { fail: 503, expected: { status: 502, type: 'internal_error' } },
  { fail: 504, expected: { status: 502, type: 'internal_error' } },
  { fail: 529, expected: { status: 502, type: 'internal_error' } },
  { fail: 'reset', expected: { status: 502, type: 'internal_error' } },
  { fail: 'stall', expected: { status: 504, type: 'internal_error' } },
  { fail: 'garbage', expected: { status: 502, type: 'internal_error' } },
  { fail: 'truncated', expected: { status: 502, type: 'internal_error' } },
  { fail: 'empty', expected: { status: 502, type: 'internal_error' } },
];

describe.each([{ stream: false }, { stream: true }])('before the first byte, with stream: $stream', ({ stream }) => {
  it.concurrent.each(FAILURES)('$fail is $expected.status, and costs nothing', async ({ fail, expected }) => {
    const account = await gateway.accounts.create(BALANCE);
    const controls = fail === 429 ? { fail, retry_after_s: 7 } : { fail };
    const body = { model: freshModel(), messages: say('Hi'), stream, ...simulate(controls) };
    const response = await gateway.chat(account.key, body);
    expectModelError(response, expected);
    expect(response.headers['retry-after']).toBe(expected.retryAfter);
    expect(response.text).not.toMatch(/sim-\*|billing_hard_limit|quota|simulator/i);
    await expectFree(account, response);
  });
});

/** Expects a failed record without cost, and an unchanged balance. */
async function expectFree(account: Account, response: WireResponse): Promise<void> {
  const record = await recordOf(gateway, account, response.headers['x-request-id']);
  expect(record).toMatchObject({ status: 'failed', cost: '0', lines: [], first_token_ms: null });
  expect(at(record, 'trace_id')).toBe(at(response.json, 'trace_id'));
  expect(await balanceOf(gateway, account)).toBe(BALANCE);
}

describe('deployments', () => {
  it('a model without providers is a 502', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await gateway.chat(account.key, { model: 'unreachable', messages: say('Hi') });
    expectModelError(response, { status: 502, type: 'internal_error' });
    await expectFree(account, response);
  });

  it('a missing credential is a 502 that does not name it', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await gateway.chat(account.key, { model: 'unkeyed', messages: say('Hi') });
    expectModelError(response, { status: 502, type: 'internal_error' });
    expect(response.text).not.toContain('TEST_UNSET_KEY');
    await expectFree(account, response);
  });

  it.each([false, true])('the next one answers where the first cannot be reached, stream: %s', async (stream) => {
    const account = await gateway.accounts.create(BALANCE);
    const body = { model: 'fallback', messages: say('Hi'), stream };
    const message = await open(gateway.baseUrl, chatRequest(account.key, body));
    const response = await readStream(message);
    expect(response.status).toBe(200);
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'completed', deployment: 'fallback-alive', retries: 1 });
  });

  it('a model whose only deployment keeps failing becomes unavailable, and recovers', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const model = freshModel();
    const failing = () => gateway.chat(account.key, { model, messages: say('Hi'), ...simulate({ fail: 500 }) });
    for (let call = 0; call < 5; call += 1) expectModelError(await failing(), { status: 502, type: 'internal_error' });
    await expect.poll(async () => (await failing()).status, { interval: 20 }).toBe(400);
    expectModelError(await failing(), { status: 400, type: 'model_not_available' });
    const listed = await gateway.openai(account.key).models.list();
    expect(listed.data.map((entry) => entry.id)).not.toContain(model);
    await expect
      .poll(async () => (await gateway.chat(account.key, { model, messages: say('Hi') })).status, {
        interval: 250,
      })
      .toBe(200);
  });
});

async function streamed(account: Account, controls: Record<string, unknown>): Promise<StreamResponse> {
  const body = {
    model: freshModel(),
    messages: say('Hi'),
    stream: true,
    stream_options: { include_usage: true },
    ...simulate({ output_tokens: 30, ...controls }),
  };
  return readStream(await open(gateway.baseUrl, chatRequest(account.key, body)));
}

function contentOf(response: StreamResponse): string {
  return response.chunks.map((chunk) => at(chunk, 'choices', 0, 'delta', 'content') ?? '').join('');
}

describe('after the first byte of a stream', () => {
  it.concurrent.each([
    { controls: { reset_after_events: 11 }, code: 502 },
    { controls: { stall_after_events: 11 }, code: 504 },
    { controls: { end_after_events: 11 }, code: 502 },
    { controls: { garbage_after_events: 11 }, code: 502 },
    { controls: { error_after_events: 11 }, code: 502 },
  ])('$controls ends it with an error event, and charges what was delivered', async ({ controls, code }) => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await streamed(account, controls);
    expect(response.status).toBe(200);
    expect(response.chunks.at(-1)).toEqual({
      error: { message: expect.any(String), type: 'internal_error', code, details: null },
      trace_id: response.headers['x-trace-id'],
    });
    expect(response.data).not.toContain('[DONE]');
    expect(textAt(response.chunks.at(-1), 'error', 'message')).not.toContain(NOTHING_CHARGED);
    expect(contentOf(response)).not.toBe('');
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'failed', streamed: true, usage_estimated: true });
    expect(at(record, 'first_token_ms')).not.toBeNull();
    expect(costOf(record)).toBeGreaterThan(0n);
    expect(costOf(record)).toBeLessThan(lineNanos(INPUT_TOKENS, RATES.small.input) + lineNanos(30, RATES.small.output));
    expect(await balanceOf(gateway, account)).toBe(BALANCE - costOf(record));
  });

  it('charges usage that was reported with every part, not an estimate', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await streamed(account, { usage: 'cumulative', reset_after_events: 11 });
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    // The opening event and ten tokens.
    expect(record).toMatchObject({
      status: 'failed',
      usage_estimated: false,
      usage: { input: INPUT_TOKENS, output: 10 },
    });
  });

  it('a missing [DONE] after a complete response is no failure', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await streamed(account, { no_done: true });
    expect(response.data.at(-1)).toBe('[DONE]');
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'completed', usage: { input: INPUT_TOKENS, output: 30 } });
  });

  it('failures before the first event are error responses', async () => {
    for (const control of ['reset_after_events', 'end_after_events', 'garbage_after_events', 'error_after_events']) {
      const account = await gateway.accounts.create(BALANCE);
      const body = { model: freshModel(), messages: say('Hi'), stream: true, ...simulate({ [control]: 0 }) };
      const response = await gateway.chat(account.key, body);
      expectModelError(response, { status: 502, type: 'internal_error' });
      await expectFree(account, response);
    }
  });

  it('a response with another content type is not treated as a stream', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const body = {
      model: freshModel(),
      messages: say('Hi'),
      stream: true,
      ...simulate({ fail: 'wrong_content_type' }),
    };
    const response = await gateway.chat(account.key, body);
    expectModelError(response, { status: 502, type: 'internal_error' });
    await expectFree(account, response);
  });
});

it('each failed request has exactly one record', async () => {
  const account = await gateway.accounts.create(BALANCE);
  const model = freshModel();
  const ids: unknown[] = [];
  for (const fail of [400, 429, 500, 'reset']) {
    const response = await gateway.chat(account.key, { model, messages: say('Hi'), ...simulate({ fail }) });
    ids.push(response.headers['x-request-id']);
  }
  await expect.poll(async () => (await allRecords(gateway, account)).length).toBe(4);
  const records = await allRecords(gateway, account);
  expect(records.map((record) => at(record, 'request_id'))).toEqual(ids.toReversed());
  expect(records.map((record) => at(record, 'cost'))).toEqual(['0', '0', '0', '0']);
});
