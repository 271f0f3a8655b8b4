import type { Account } from '@tollgate/test-support/gateway/accounts';
import { costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { directed, ENDPOINTS, type Endpoint, withKey } from '@tollgate/test-support/gateway/endpoints';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { open, send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { readEvents, readStream } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { VALID_UUID } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(10_000_000_000n);
});

/** What each protocol's clients look for in a prompt that is too long, with and without figures. */
const WORDS = {
  // Claude Code: /prompt is too long[^0-9]*(\d+)\s*tokens?\s*>\s*(\d+)/i
  'anthropic-messages': [
    'prompt is too long: 250000 tokens > 200000 maximum',
    'prompt is too long: it exceeds the context window of this model',
  ],
  // opencode: /maximum context length is \d+ tokens/i; LangChain: `context_length_exceeded`
  'openai-chat': [
    "context_length_exceeded: Your input exceeds the context window of this model. This model's maximum context length is 200000 tokens. However, your input resulted in 250000 tokens. Please reduce the length of the input.",
    'context_length_exceeded: Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  'openai-responses': [
    "context_length_exceeded: Your input exceeds the context window of this model. This model's maximum context length is 200000 tokens. However, your input resulted in 250000 tokens. Please reduce the length of the input.",
    'context_length_exceeded: Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  // Qwen Code: /input\s+token\s+(?:count|length)[^\d]*(\d[\d,]*)[\s\S]*?exceed/i
  gemini: [
    'The input token count (250000) exceeds the maximum number of tokens allowed (200000).',
    'The input token count exceeds the maximum number of tokens allowed.',
  ],
} as const;

/** OpenAI's responses protocol gives no figures. */
function wordsFor(client: Endpoint['protocol'], upstream: Endpoint['protocol']): string {
  return WORDS[client][upstream === 'openai-responses' ? 1 : 0];
}

const PAIRS = ENDPOINTS.flatMap((endpoint) =>
  UPSTREAM_PROTOCOLS.map((upstream) => ({ endpoint, upstream, name: `${endpoint.protocol} to ${upstream}` })),
);
const TOO_LONG = directed('Hello', { fail: 'context_length_exceeded' });

function expectRefusal(endpoint: Endpoint, response: WireResponse, message: string): void {
  expect({ status: response.status, body: response.json }).toEqual({
    status: 400,
    body: {
      error: {
        message,
        type: 'invalid_request_error',
        code: 400,
        details: null,
        reason: 'context_length_exceeded',
        ...(endpoint.surface === 'generative' ? { status: 'INVALID_ARGUMENT' } : {}),
      },
      trace_id: expect.stringMatching(VALID_UUID),
      ...(endpoint.surface === 'messages' ? { type: 'error' } : {}),
    },
  });
  expect(response.headers['x-should-retry']).toBe('false');
}

async function expectFree(requestId: unknown): Promise<void> {
  const record = await recordOf(gateway, account, requestId);
  expect(record).toMatchObject({ status: 'failed' });
  expect(costOf(record)).toBe(0n);
}

describe.each(PAIRS)('a prompt that is too long, $name', ({ endpoint, upstream }) => {
  const prompt = { model: `via-${upstream}`, text: TOO_LONG };
  const message = wordsFor(endpoint.protocol, upstream);

  it("is refused in the words of the client's own provider, at no cost", async () => {
    const response = await send(gateway.baseUrl, withKey(account.key, endpoint.request(prompt)));
    expectRefusal(endpoint, response, message);
    await expectFree(response.headers['x-request-id']);
  });
});

const [STREAMS, OTHERS] = [
  PAIRS.filter(({ endpoint }) => endpoint.protocol === 'openai-responses'),
  PAIRS.filter(({ endpoint }) => endpoint.protocol !== 'openai-responses'),
];

it.each(OTHERS)('is refused alike where a stream was asked for, $name', async ({ endpoint, upstream }) => {
  const prompt = { model: `via-${upstream}`, text: TOO_LONG, stream: true };
  const response = await send(gateway.baseUrl, withKey(account.key, endpoint.request(prompt)));
  expectRefusal(endpoint, response, wordsFor(endpoint.protocol, upstream));
  await expectFree(response.headers['x-request-id']);
});

it.each(STREAMS)('fails a stream of responses with its own code, $name', async ({ endpoint, upstream }) => {
  const prompt = { model: `via-${upstream}`, text: TOO_LONG, stream: true };
  const wire = withKey(account.key, endpoint.request(prompt));
  const { status, headers, chunks } = await readStream(await open(gateway.baseUrl, wire));
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/event-stream/);
  const types = chunks.map((event) => at(event, 'type'));
  expect(types).toEqual(['response.created', 'response.in_progress', 'error', 'response.failed']);
  expect(chunks.map((event) => at(event, 'sequence_number'))).toEqual([0, 1, 2, 3]);
  const message = wordsFor(endpoint.protocol, upstream);
  expect(chunks[3]).toMatchObject({
    trace_id: headers['x-trace-id'],
    response: { status: 'failed', model: prompt.model, error: { code: 'context_length_exceeded', message } },
  });
  expect(chunks[2]).toMatchObject({ error: { code: 'context_length_exceeded', message } });
  expect(at(chunks[0], 'response', 'id')).toBe(at(chunks[3], 'response', 'id'));
  await expectFree(headers['x-request-id']);
});

describe('the words of compatible servers', () => {
  const VLLM =
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 40960 tokens " +
    'and your request has 12000 input tokens (32000 > 40960 - 12000).';
  const messages = ENDPOINTS.find(({ protocol }) => protocol === 'anthropic-messages');

  async function refusedWith(status: number, error: object): Promise<WireResponse> {
    const headers = { 'content-type': 'application/json' };
    const text = gateway.hostile.prepare({ status, headers, body: JSON.stringify({ error }) });
    if (messages === undefined) throw new Error('there is no messages endpoint');
    const wire = messages.request({ model: 'hostile-openai-chat', text });
    return send(gateway.baseUrl, withKey(account.key, wire));
  }

  it('reach Claude Code, which lowers an output limit that does not fit', async () => {
    const response = await refusedWith(400, { message: VLLM, type: 'BadRequestError', param: null, code: 400 });
    expect(at(response.json, 'error', 'message')).toMatch(
      /input length and `max_tokens` exceed context limit: 12000 \+ 32000 > 40960/,
    );
  });

  it('are recognized in a 500, which some local servers respond with', async () => {
    const message = 'request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it';
    const response = await refusedWith(500, { message, type: 'exceed_context_size_error', code: 500 });
    expect(response.status).toBe(400);
    expect(at(response.json, 'error', 'message')).toBe('prompt is too long: 9001 tokens > 8192 maximum');
  });

  it('are recognized inside the error of a router', async () => {
    const raw = JSON.stringify({ error: { message: VLLM } });
    const error = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'Chutes' } };
    const response = await refusedWith(400, error);
    expect(at(response.json, 'error', 'message')).toContain('12000 + 32000 > 40960');
  });
});

it('delivers the opening of a response that stays silent, as soon as an error is unlikely', async () => {
  const slow = directed('Hello', { first_token_delay_ms: 60_000 });
  const body = { model: 'via-openai-responses', input: slow, stream: true };
  const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' };
  const wire = { method: 'POST', path: '/v1/responses', headers, body: JSON.stringify(body) };
  const response = await open(gateway.baseUrl, wire);
  const [first = ''] = await readEvents(response, 2);
  response.destroy();
  expect(JSON.parse(first)).toMatchObject({ type: 'response.created' });
});
