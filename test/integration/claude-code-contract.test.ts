import { Agent, request } from 'node:http';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { UPSTREAM_PROTOCOLS } from '@tollgate/test-support/gateway/catalogue';
import { directed } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, startGateway } from '@tollgate/test-support/gateway/gateway';
import { open, readText, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import { afterAll, beforeAll, expect, it } from 'vitest';

/* What Claude Code expects of a gateway, line by line of docs/reference/claude-code.md. */

let gateway: Gateway;
let account: Account;

beforeAll(async () => {
  gateway = await startGateway({
    env: { STREAM_KEEP_ALIVE_MS: '200' },
    simulator: { promptCache: true, maxKeptBody: 1_000_000 },
  });
  account = await gateway.accounts.create(100_000_000_000n);
});
afterAll(() => gateway.stop());

const ATTRIBUTION = 'x-anthropic-billing-header: cc_version=2.1.330.649; cc_entrypoint=cli;';
const EPHEMERAL = { cache_control: { type: 'ephemeral' } };
/** Long enough for every provider's cache. */
const INSTRUCTIONS = `You are an agent. ${'Be careful and kind. '.repeat(400)}`;

interface Call {
  model?: string;
  body?: object;
  headers?: Record<string, string>;
  path?: string;
}

/** A request as Claude Code sends it. */
function wireOf({ model = 'via-anthropic-messages', body = {}, headers = {}, path = '/v1/messages?beta=true' }: Call) {
  const json = { model, max_tokens: 1_000, messages: [{ role: 'user', content: 'Hello' }], ...body };
  return {
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${account.key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...headers,
    },
    body: JSON.stringify(json),
  };
}

function call(given: Call): Promise<WireResponse> {
  return gateway.send(wireOf(given));
}

/** The body and headers of the last call that the provider received. */
function received() {
  const last = gateway.simulator.recorder.list().at(-1);
  return { headers: last?.headers ?? {}, body: JSON.parse(last?.body ?? '{}'), text: last?.body ?? '' };
}

it('serves the messages endpoint whatever its query', async () => {
  expect((await call({})).status).toBe(200);
  expect((await call({ path: '/v1/messages' })).status).toBe(200);
});

it('counts tokens, without the attribution', async () => {
  for (const upstream of UPSTREAM_PROTOCOLS) {
    const counted = async (system: object[]) => {
      const messages = [{ role: 'user', content: 'Hello' }];
      const body = JSON.stringify({ model: `via-${upstream}`, system, messages });
      const response = await gateway.send({ ...wireOf({ path: '/v1/messages/count_tokens?beta=true' }), body });
      expect(response.status).toBe(200);
      return at(response.json, 'input_tokens');
    };
    const prompt = { type: 'text', text: INSTRUCTIONS };
    expect(await counted([{ type: 'text', text: ATTRIBUTION }, prompt]), upstream).toBe(await counted([prompt]));
  }
});

it('keeps the connection of a probe open', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const probe = () =>
    new Promise<{ status: number | undefined; isReused: boolean }>((resolve, reject) => {
      const probing = request(new URL('/api/hello', gateway.baseUrl), { method: 'HEAD', agent }, (response) => {
        response.resume();
        response.on('end', () => resolve({ status: response.statusCode, isReused: probing.reusedSocket }));
      });
      probing.on('error', reject).end();
    });
  expect(await probe()).toEqual({ status: 401, isReused: false });
  expect(await probe()).toEqual({ status: 401, isReused: true });
  agent.destroy();
});

it('streams events as they come', async () => {
  const content = directed('Hello', { text: 'Good day', token_delay_ms: 60_000 });
  const body = { stream: true, messages: [{ role: 'user', content }] };
  const response = await open(gateway.baseUrl, wireOf({ body }));
  const [first = ''] = await readEvents(response, 1);
  response.destroy();
  expect(JSON.parse(first)).toMatchObject({ type: 'message_start' });
});

it("passes the provider's pings on, and sends its own during pauses", async () => {
  for (const upstream of UPSTREAM_PROTOCOLS) {
    const content = directed('Hello', { text: 'Good day to you', token_delay_ms: 500 });
    const body = { stream: true, messages: [{ role: 'user', content }] };
    const raw = await readText(await open(gateway.baseUrl, wireOf({ model: `via-${upstream}`, body })));
    expect(raw.match(/^event: ping$/gm)?.length ?? 0, upstream).toBeGreaterThan(2);
    expect(raw).toContain('event: message_stop');
  }
});

it('forwards the version and the betas that cost nothing', async () => {
  const betas = 'interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01';
  // What the last one enables: the provider rejects an effort of a message without it.
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'system', content: 'Be brief.', output_config: { effort: 'low' } },
  ];
  expect((await call({ headers: { 'anthropic-beta': betas }, body: { messages } })).status).toBe(200);
  expect(received().body).toMatchObject({ messages });
  expect(received().headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': betas });
});

it('records the session and the agents', async () => {
  const headers = {
    'x-claude-code-session-id': 'session-1',
    'x-claude-code-agent-id': 'agent-2',
    'x-claude-code-parent-agent-id': 'agent-1',
  };
  const response = await call({ headers });
  const record = await recordOf(gateway, account, response.headers['x-request-id']);
  expect(record).toMatchObject({ session: 'session-1', agent_id: 'agent-2', parent_agent_id: 'agent-1' });
  expect(Object.keys(received().headers).filter((name) => name.startsWith('x-claude'))).toEqual([]);
});

it('takes the key in either header, and in both', async () => {
  const { authorization, ...others } = wireOf({}).headers;
  const keyed = async (headers: Record<string, string>) =>
    (await gateway.send({ ...wireOf({}), headers: { ...others, ...headers } })).status;
  expect(await keyed({ authorization })).toBe(200);
  expect(await keyed({ 'x-api-key': account.key })).toBe(200);
  expect(await keyed({ authorization, 'x-api-key': account.key })).toBe(200);
});

it('keeps the attribution first for Anthropic, and leaves it out for others', async () => {
  const system = [
    { type: 'text', text: ATTRIBUTION },
    { type: 'text', text: 'You are an agent.', ...EPHEMERAL },
  ];
  for (const upstream of UPSTREAM_PROTOCOLS) {
    expect((await call({ model: `via-${upstream}`, body: { system } })).status).toBe(200);
    const { body, text } = received();
    if (upstream === 'anthropic-messages') expect(body.system).toEqual(system);
    else expect(text).not.toContain('billing-header');
    expect(text).toContain('You are an agent.');
  }
});

it('forwards cache_control wherever it is', async () => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'Hello', ...EPHEMERAL }] },
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...EPHEMERAL }] },
  ];
  const system = [{ type: 'text', text: 'You are an agent.', ...EPHEMERAL }];
  expect((await call({ body: { system, messages } })).status).toBe(200);
  expect(received().body).toMatchObject({ system, messages });
});

it('reads the prompt from the cache at the second turn, of every provider', async () => {
  for (const upstream of UPSTREAM_PROTOCOLS) {
    const turn = async (attribution: string, ...texts: string[]) => {
      const messages = texts.map((text, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'text', text, ...(i === texts.length - 1 ? EPHEMERAL : {}) }],
      }));
      const system = [
        { type: 'text', text: `${ATTRIBUTION} ${attribution}` },
        { type: 'text', text: INSTRUCTIONS, ...EPHEMERAL },
      ];
      const response = await call({ model: `via-${upstream}`, body: { system, messages } });
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      return at(response.json, 'usage', 'cache_read_input_tokens');
    };
    expect(await turn('1', 'Hello'), upstream).toBe(0);
    expect(await turn('1', 'Hello', 'Hi.', 'Go on'), upstream).toBeGreaterThan(1_024);
    expect(await turn('2', 'Another conversation'), upstream).toBeGreaterThan(1_024);
  }
});

it('passes unknown body fields on to Anthropic', async () => {
  await call({ body: { x_new_capability: { enabled: true } } });
  expect(received().body).toMatchObject({ x_new_capability: { enabled: true } });
});

it("reports a rejection in the provider's own words", async () => {
  const words = [
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'thinking.type: adaptive thinking is not supported on this model',
    "messages.3: role 'system' is not supported on this model",
    'output_config.format: Extra inputs are not permitted',
  ];
  for (const message of words) {
    const error = { type: 'error', error: { type: 'invalid_request_error', message } };
    const headers = { 'content-type': 'application/json' };
    const content = gateway.hostile.prepare({ status: 400, headers, body: JSON.stringify(error) });
    const body = { messages: [{ role: 'user', content }] };
    const response = await call({ model: 'hostile-anthropic-messages', body });
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({ type: 'error', error: { type: 'invalid_request_error', message } });
  }
});

it('says when to retry, and that a rejection is no use to retry', async () => {
  const content = directed('Hello', { fail: 429, retry_after_s: 7 });
  const limited = await call({ body: { messages: [{ role: 'user', content }] } });
  expect({ status: limited.status, after: limited.headers['retry-after'] }).toEqual({ status: 429, after: '7' });
  expect(limited.headers['x-should-retry']).toBeUndefined();
  const refused = await call({ headers: { authorization: 'Bearer sk-tollgate-mistyped' } });
  expect({ status: refused.status, retry: refused.headers['x-should-retry'] }).toEqual({ status: 401, retry: 'false' });
  expect(Object.keys(limited.headers).filter((name) => name.startsWith('anthropic-ratelimit'))).toEqual([]);
});

it('words a request that is too large so that old images are left out', async () => {
  const body = { messages: [{ role: 'user', content: 'x'.repeat(3_000_000) }] };
  const response = await call({ body });
  // Claude Code's pattern, for the text that its SDK makes of an error.
  expect(`400 ${response.text}`).toMatch(
    /^400 \[?\{[^{}]*"error":\{[^{}]*"message":"the (?:request|message) size \(\d+ bytes\) exceeds [\d.]+ ?MB limit\.?"/i,
  );
});

it('lists models for discovery', async () => {
  const headers = { authorization: `Bearer ${account.key}`, 'x-api-key': account.key };
  const response = await gateway.send({ path: '/v1/models?limit=1000', headers });
  expect(response.status).toBe(200);
  const models = listAt(response.json, 'data');
  expect(models.length).toBeGreaterThan(10);
  for (const model of models) {
    expect(textAt(model, 'id')).not.toBe('');
    expect(textAt(model, 'display_name')).not.toBe('');
  }
  const descriptions = models.map((model) => [at(model, 'id'), at(model, 'description')]);
  expect(descriptions).toContainEqual(['odd', 'For sums that do not divide.']);
  expect(descriptions).toContainEqual(['small', undefined]);
});

it('serves a model under the names that a client asks for', async () => {
  const response = await call({ model: 'small-latest' });
  expect(response.status).toBe(200);
  expect(at(response.json, 'model')).toBe('small-latest');
});
