import type { Account } from '@tollgate/test-support/gateway/accounts';
import { costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { FRAGILE, UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { directed, ENDPOINTS, type Endpoint, type Prompt, withKey } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open, readText, send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, spelledNumber, textAt } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectModelError, VALID_UUID } from './support/errors.ts';

let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  gateway = await startGateway({ env: { STREAM_KEEP_ALIVE_MS: '300' } });
  account = await gateway.accounts.create(1_000_000_000n);
});
afterAll(() => gateway.stop());

function call(endpoint: Endpoint, prompt: Prompt, key = account.key): Promise<WireResponse> {
  return send(gateway.baseUrl, withKey(key, endpoint.request(prompt)));
}

const unused = new Map(UPSTREAM_PROTOCOLS.map((upstream) => [upstream, FRAGILE.values()]));

/** A model that no other test calls, so that its deployment is in rotation. */
function fragile(upstream: (typeof UPSTREAM_PROTOCOLS)[number]): string {
  const next = unused.get(upstream)?.next();
  if (next === undefined || next.done === true) throw new Error('no fragile models are left');
  return `${next.value}-${upstream}`;
}

const PAIRS = ENDPOINTS.flatMap((endpoint) =>
  UPSTREAM_PROTOCOLS.map((upstream) => ({ endpoint, upstream, name: `${endpoint.protocol} to ${upstream}` })),
);

describe.each(PAIRS)('$name', ({ endpoint, upstream }) => {
  const prompt = { model: `via-${upstream}`, text: directed('Hello', { text: 'Good day to you', cached_tokens: 3 }) };

  it('responds, charges once, and reports the same cost everywhere', async () => {
    const response = await call(endpoint, prompt);
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(response.text).toContain('Good day to you');
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({
      model: `via-${upstream}`,
      protocol_in: endpoint.protocol,
      protocol_out: upstream,
      status: 'completed',
      streamed: false,
      usage_estimated: false,
      trace_id: response.headers['x-trace-id'],
    });
    const cost = costOf(record);
    expect(cost).toBeGreaterThan(0n);
    expect(nanos(textAt(response.headers, 'x-request-cost'))).toBe(cost);
    expect(at(response.json, ...endpoint.costPath)).toBeTypeOf('number');
    expect(nanos(spelledNumber(response.text, 'cost') ?? '')).toBe(cost);
  });

  it('streams the same, at the same cost', async () => {
    const buffered = await call(endpoint, prompt);
    const response = await open(gateway.baseUrl, withKey(account.key, endpoint.request({ ...prompt, stream: true })));
    const raw = await readText(response);
    expect({ status: response.statusCode, raw }).toMatchObject({ status: 200 });
    expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ status: 'completed', streamed: true, usage_estimated: false });
    expect(costOf(record)).toBe(nanos(textAt(buffered.headers, 'x-request-cost')));
    expect(nanos(spelledNumber(raw.slice(raw.lastIndexOf('"cost"')), 'cost') ?? '')).toBe(costOf(record));
  });

  it.each([
    { what: 'breaks off', control: { reset_after_events: 12 } },
    { what: 'ends without an end', control: { end_after_events: 12 } },
    { what: 'reports an error', control: { error_after_events: 12 } },
    { what: 'sends garbage', control: { garbage_after_events: 12 } },
  ])(
    'reports in the client’s protocol that the upstream $what midway, and charges the delivered output',
    async ({ control }) => {
      const text = directed('Hello', { output_tokens: 50, ...control });
      const wire = endpoint.request({ model: fragile(upstream), text, stream: true });
      const response = await open(gateway.baseUrl, withKey(account.key, wire));
      const raw = await readText(response);
      expect({ status: response.statusCode, raw }).toMatchObject({ status: 200 });
      const last = raw.trimEnd().split('\n').at(-1) ?? '';
      expect(raw).toContain('The response was interrupted');
      expect(raw).toContain(`"trace_id":"${textAt(response.headers, 'x-trace-id')}`);
      expect(last === 'data: [DONE]' || last.includes('error')).toBe(true);
      const record = await recordOf(gateway, account, response.headers['x-request-id']);
      // Gemini reports usage so far in every chunk, the others at the end.
      expect(record).toMatchObject({ status: 'failed', usage_estimated: upstream !== 'gemini' });
      expect(costOf(record)).toBeGreaterThan(0n);
    },
  );
});

describe.each(ENDPOINTS)('$protocol', (endpoint) => {
  const { surface } = endpoint;
  const shape = surface === undefined ? {} : { surface };

  it('costs the same through every upstream protocol', async () => {
    const costs = new Set<string>();
    for (const upstream of UPSTREAM_PROTOCOLS) {
      const text = directed('Tell me a story', { text: 'Once upon a time.', cached_tokens: 4 });
      const response = await call(endpoint, { model: `via-${upstream}`, text });
      costs.add(textAt(response.headers, 'x-request-cost'));
    }
    expect([...costs]).toHaveLength(1);
  });

  it('rejects with the contract’s status if the balance is too small', async () => {
    const poor = await gateway.accounts.create(10n);
    const response = await call(endpoint, { model: 'via-openai-chat', text: 'Hello' }, poor.key);
    expect(response.status).toBe(endpoint.shortageStatus);
    expect(response.json).toMatchObject({
      error: {
        type: 'insufficient_balance',
        code: endpoint.shortageStatus,
        details: {
          recharge_url: expect.stringMatching(/^https?:/),
          limit: { scope: 'account', id: poor.accountId, window: null },
        },
      },
      trace_id: expect.stringMatching(VALID_UUID),
    });
  });

  it('names the protocol called and those offered when a model does not offer it', async () => {
    if (endpoint.protocol === 'openai-responses') {
      const [chat] = ENDPOINTS;
      if (chat === undefined) throw new Error('there are endpoints');
      const response = await call(endpoint, { model: 'chat-only', text: 'Hello' });
      expectModelError(response, {
        status: 400,
        type: 'invalid_request_error',
        message: /chat-only.*openai-responses.*openai-chat/,
      });
      return;
    }
    const response = await call(endpoint, { model: 'responses-only', text: 'Hello' });
    const message = new RegExp(`responses-only.*${endpoint.protocol}.*openai-responses`);
    expectModelError(response, { status: 400, type: 'invalid_request_error', message, ...shape });
  });

  it('rejects an image for a text-only model, before any upstream call', async () => {
    const response = await call(endpoint, { model: 'via-gemini', text: 'What is this?', image: true });
    expectModelError(response, { status: 400, type: 'invalid_request_error', message: /via-gemini.*image/, ...shape });
    const traceId = textAt(response.headers, 'x-trace-id').replaceAll('-', '');
    expect(gateway.simulator.recorder.list(traceId)).toEqual([]);
  });

  it('accepts x-goog-api-key on generative paths only', async () => {
    const wire = endpoint.request({ model: 'via-openai-chat', text: 'Hello' });
    const response = await gateway.send({ ...wire, headers: { ...wire.headers, 'x-goog-api-key': account.key } });
    if (endpoint.protocol === 'gemini') expect(response.status).toBe(200);
    else expectModelError(response, { status: 401, type: 'missing_auth_credential', ...shape });
  });

  it('accepts x-api-key, and names it in the error for a wrong one', async () => {
    const wire = endpoint.request({ model: 'via-openai-chat', text: 'Hello' });
    const right = await gateway.send({ ...wire, headers: { ...wire.headers, 'x-api-key': account.key } });
    expect(right.status).toBe(200);
    const wrong = await gateway.send({ ...wire, headers: { ...wire.headers, 'x-api-key': `${account.key}x` } });
    expectModelError(wrong, { status: 401, type: 'invalid_api_key', ...shape });
  });

  it('fills long silences only in ways its clients accept', async () => {
    const text = directed('Hello', { output_tokens: 3, token_delay_ms: 1_000 });
    const wire = endpoint.request({ model: 'via-openai-chat', text, stream: true });
    const raw = await readText(await open(gateway.baseUrl, withKey(account.key, wire)));
    if (endpoint.protocol === 'gemini') expect(raw).not.toMatch(/^:|ping/m);
    else if (endpoint.protocol === 'anthropic-messages')
      expect(raw).toContain('event: ping\ndata: {"type":"ping"}\n\n');
    else expect(raw).toMatch(/^: keep-alive\n\n/m);
  });
});

describe('an output limit beyond the balance', () => {
  const balanceFor = 200_000n;

  it.each(ENDPOINTS)('$protocol', async (endpoint) => {
    const poor = await gateway.accounts.create(balanceFor);
    const text = directed('Hello', { output_tokens: 5 });
    const response = await call(endpoint, { model: 'via-openai-chat', text, maxTokens: 16_000 }, poor.key);
    if (endpoint.protocol !== 'anthropic-messages') {
      expect(response.status).toBe(endpoint.shortageStatus);
      expect(at(response.json, 'error', 'type')).toBe('insufficient_balance');
      return;
    }
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(response.headers['x-tollgate-warnings']).toMatch(/max_tokens: lowered to \d+/);
  });
});

describe('an output limit beyond the model’s own', () => {
  it.each(ENDPOINTS)('$protocol', async (endpoint) => {
    for (const upstream of UPSTREAM_PROTOCOLS) {
      const response = await call(endpoint, { model: `via-${upstream}`, text: 'Hello', maxTokens: 50_000 });
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      const warnings = textAt(response.headers, 'x-tollgate-warnings');
      expect(warnings.match(/(max_\w*tokens|maxOutputTokens): (lowered to|sent as) 16384/g)).toHaveLength(1);
      const traceId = textAt(response.headers, 'x-trace-id').replaceAll('-', '');
      expect(JSON.stringify(gateway.simulator.recorder.list(traceId).map((one) => one.body))).toContain('16384');
    }
  });
});

describe('Google’s other path', () => {
  it('also works under /v1/models/, as a generative endpoint', async () => {
    const gemini = ENDPOINTS.find(({ protocol }) => protocol === 'gemini');
    if (gemini === undefined) throw new Error('there is a generative endpoint');
    const wire = gemini.request({ model: 'via-gemini', text: 'Hello' });
    const path = wire.path.replace('/v1beta/', '/v1/');
    const headers = { ...wire.headers, 'x-goog-api-key': account.key };
    expect((await gateway.send({ ...wire, path, headers })).status).toBe(200);
  });

  it('streams a JSON array without alt=sse', async () => {
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] });
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': account.key };
    for (const upstream of UPSTREAM_PROTOCOLS) {
      const path = `/v1beta/models/via-${upstream}:streamGenerateContent`;
      const response = await gateway.send({ method: 'POST', path, headers, body });
      expect(response.headers['content-type']).toMatch(/^application\/json/);
      expect(response.json).toBeInstanceOf(Array);
      expect(at(response.json, 0, 'candidates', 0, 'content', 'role')).toBe('model');
    }
  });

  it('closes the array after an error too', async () => {
    const text = directed('Hello', { output_tokens: 50, reset_after_events: 12 });
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text }] }] });
    const headers = { 'content-type': 'application/json', 'x-goog-api-key': account.key };
    for (const upstream of UPSTREAM_PROTOCOLS) {
      const path = `/v1beta/models/${fragile(upstream)}:streamGenerateContent`;
      const response = await gateway.send({ method: 'POST', path, headers, body });
      const last = listAt(response.json).at(-1);
      expect(Object.keys(Object(last))[0]).toBe('error');
    }
  });
});
