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

/** A failure, what the client gets, and why by the record, with the provider's status. */
const FAILURES: { fail: unknown; expected: Expected; cause: string; provider: number | null }[] = [
  {
    fail: 400,
    expected: { status: 400, type: 'invalid_request_error', message: 'temperature' },
    cause: 'refused',
    provider: 400,
  },
  { fail: 413, expected: { status: 400, type: 'invalid_request_error' }, cause: 'refused', provider: 413 },
  {
    fail: 422,
    expected: { status: 400, type: 'invalid_request_error', message: 'messages[0].content' },
    cause: 'refused',
    provider: 422,
  },
  {
    fail: 401,
    expected: { status: 502, type: 'internal_error', message: NOTHING_CHARGED },
    cause: 'credential',
    provider: 401,
  },
  { fail: 402, expected: { status: 502, type: 'internal_error' }, cause: 'credential', provider: 402 },
  { fail: 403, expected: { status: 502, type: 'internal_error' }, cause: 'credential', provider: 403 },
  { fail: 'insufficient_quota', expected: { status: 502, type: 'internal_error' }, cause: 'credential', provider: 429 },
  {
    fail: 404,
    expected: { status: 400, type: 'model_not_available', message: NOTHING_CHARGED },
    cause: 'model_unknown',
    provider: 404,
  },
  {
    fail: 408,
    expected: { status: 504, type: 'internal_error', message: NOTHING_CHARGED },
    cause: 'timeout',
    provider: 408,
  },
  {
    fail: 429,
    expected: { status: 429, type: 'rate_limit_exceeded', retryAfter: '7' },
    cause: 'rate_limited',
    provider: 429,
  },
  { fail: 500, expected: { status: 502, type: 'internal_error' }, cause: 'server_error', provider: 500 },
  { fail: 502, expected: { status: 502, type: 'internal_error' }, cause: 'server_error', provider: 502 },
  { fail: 503, expected: { status: 502, type: 'internal_error' }, cause: 'server_error', provider: 503 },
  { fail: 504, expected: { status: 502, type: 'internal_error' }, cause: 'server_error', provider: 504 },
  { fail: 529, expected: { status: 502, type: 'internal_error' }, cause: 'server_error', provider: 529 },
  { fail: 'reset', expected: { status: 502, type: 'internal_error' }, cause: 'reset', provider: null },
  { fail: 'stall', expected: { status: 504, type: 'internal_error' }, cause: 'timeout', provider: null },
  { fail: 'garbage', expected: { status: 502, type: 'internal_error' }, cause: 'malformed', provider: 200 },
  { fail: 'truncated', expected: { status: 502, type: 'internal_error' }, cause: 'malformed', provider: 200 },
  { fail: 'empty', expected: { status: 502, type: 'internal_error' }, cause: 'malformed', provider: 200 },
];

describe.each([{ stream: false }, { stream: true }])('before the first byte, with stream: $stream', ({ stream }) => {
  it.concurrent.each(FAILURES)('$fail is $expected.status, and costs nothing', async ({ fail, expected, ...why }) => {
    const account = await gateway.accounts.create(BALANCE);
    const controls = fail === 429 ? { fail, retry_after_s: 7 } : { fail };
    const body = { model: freshModel(), messages: say('Hi'), stream, ...simulate(controls) };
    const response = await gateway.chat(account.key, body);
    expectModelError(response, expected);
    expect(response.headers['retry-after']).toBe(expected.retryAfter);
    expect(response.text).not.toMatch(/sim-\*|billing_hard_limit|quota|simulator/i);
    const record = await expectFree(account, response);
    expectFailure(record, expected, why);
    // A connection that broke before the response is tried once more.
    const calls = why.cause === 'reset' ? 2 : 1;
    const call = { deployment: at(record, 'deployment'), outcome: why.cause, provider_status: why.provider };
    expect(at(record, 'attempts')).toEqual(Array(calls).fill(expect.objectContaining(call)));
    expect(JSON.stringify(record)).not.toMatch(/temperature|billing_hard_limit|quota|messages\[0\]/i);
  });
});

/** Expects a record to say what the client got, why, and what to do next. */
function expectFailure(record: unknown, { status, type }: Expected, why: { cause: string; provider: number | null }) {
  expect(at(record, 'failure')).toEqual({
    http_status: status,
    error_type: type,
    cause: why.cause,
    provider_status: why.provider,
    sentence: expect.stringMatching(/^[A-Z].*\.$/),
    action: expect.stringMatching(/^[A-Z].*\.$/),
  });
}

/** Expects a failed record without cost, and an unchanged balance. */
async function expectFree(account: Account, response: WireResponse): Promise<unknown> {
  const record = await recordOf(gateway, account, response.headers['x-request-id']);
  expect(record).toMatchObject({ status: 'failed', cost: '0', lines: [], first_token_ms: null });
  expect(at(record, 'trace_id')).toBe(at(response.json, 'trace_id'));
  expect(await balanceOf(gateway, account)).toBe(BALANCE);
  return record;
}

describe('deployments', () => {
  it('a model without providers is a 502', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await gateway.chat(account.key, { model: 'unreachable', messages: say('Hi') });
    const expected = { status: 502, type: 'internal_error' };
    expectModelError(response, expected);
    expectFailure(await expectFree(account, response), expected, { cause: 'unreachable', provider: null });
  });

  it('a missing credential is a 502 that does not name it', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await gateway.chat(account.key, { model: 'unkeyed', messages: say('Hi') });
    expectModelError(response, { status: 502, type: 'internal_error' });
    expect(response.text).not.toContain('TEST_UNSET_KEY');
    const record = await expectFree(account, response);
    expectFailure(record, { status: 502, type: 'internal_error' }, { cause: 'credential', provider: null });
    expect(JSON.stringify(record)).not.toContain('TEST_UNSET_KEY');
  });

  it.each([false, true])('the next one answers where the first cannot be reached, stream: %s', async (stream) => {
    const account = await gateway.accounts.create(BALANCE);
    const body = { model: 'fallback', messages: say('Hi'), stream };
    const message = await open(gateway.baseUrl, chatRequest(account.key, body));
    const response = await readStream(message);
    expect(response.status).toBe(200);
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'completed', deployment: 'fallback-alive', retries: 1, failure: null });
    expect(at(record, 'attempts')).toEqual([
      {
        deployment: expect.stringMatching(/^fallback-(?!alive)/),
        started_ms: expect.any(Number),
        duration_ms: expect.any(Number),
        outcome: 'unreachable',
        provider_status: null,
      },
      expect.objectContaining({ deployment: 'fallback-alive', outcome: 'responded', provider_status: 200 }),
    ]);
  });

  it('a prompt that is too long is recorded as that', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const body = { model: freshModel(), messages: say('Hi'), ...simulate({ fail: 'context_length_exceeded' }) };
    const record = await expectFree(account, await gateway.chat(account.key, body));
    const expected = { status: 400, type: 'invalid_request_error' };
    expectFailure(record, expected, { cause: 'context_exceeded', provider: 400 });
  });

  it('a first call that succeeds leaves no attempts in the record', async () => {
    const account = await gateway.accounts.create(BALANCE);
    const response = await gateway.chat(account.key, { model: freshModel(), messages: say('Hi') });
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'completed', failure: null, attempts: [] });
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
    { controls: { reset_after_events: 11 }, code: 502, cause: 'reset' },
    { controls: { stall_after_events: 11 }, code: 504, cause: 'timeout' },
    { controls: { end_after_events: 11 }, code: 502, cause: 'reset' },
    { controls: { garbage_after_events: 11 }, code: 502, cause: 'malformed' },
    { controls: { error_after_events: 11 }, code: 502, cause: 'server_error' },
  ])('$controls ends it with an error event, and charges what was delivered', async ({ controls, code, cause }) => {
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
    expectFailure(record, { status: code, type: 'internal_error' }, { cause, provider: 200 });
    expect(at(record, 'attempts')).toMatchObject([{ outcome: cause, provider_status: 200 }]);
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
