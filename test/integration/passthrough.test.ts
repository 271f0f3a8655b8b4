import { hash } from 'node:crypto';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { UPSTREAM_NAME } from '@tollgate/test-support/gateway/catalogue';
import { chatRequest, type Gateway, PROVIDER_KEY, say, simulate } from '@tollgate/test-support/gateway/gateway';
import { open, readText, send, type WireResponse } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { readStream } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const OWN_NAME = 'small';
let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(5_000_000_000n);
});

/** The provider's request for a response. */
function recorded(response: Pick<WireResponse, 'headers'>) {
  const traceId = String(response.headers['x-trace-id']).replaceAll('-', '');
  const calls = gateway.simulator.recorder.list(traceId);
  expect(calls).toHaveLength(1);
  const [call] = calls;
  if (call === undefined) throw new Error('the provider was not called');
  return call;
}

/** The provider's direct response to a body, without a gateway. */
function direct(body: string): Promise<WireResponse> {
  return send(gateway.simulator.url, {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

/** Unusual notations, unknown nested fields, numbers beyond a double, text beyond ASCII. */
const PECULIAR = `{ "x_unknown":{"deep":[1.0,1e2,12345678901234567890,"\\u00e9é😀",null]},\r\n  "model" :"${OWN_NAME}",
  "messages":[ {"role":"user","content":"H\\u0069","x_extra":{"a":[]}} ],"temperature":1.0, "simulate":{"output_tokens":5} }\n`;

describe('the request upstream', () => {
  it("has the client's bytes, except for the model", async () => {
    const response = await gateway.send(chatRequest(account.key, PECULIAR));
    expect(response.status).toBe(200);
    expect(recorded(response).body).toBe(PECULIAR.replace(`"${OWN_NAME}"`, `"${UPSTREAM_NAME}"`));
  });

  it('requests usage at the end of a stream and changes nothing else', async () => {
    const body = `{"stream":true, "messages":[{"role":"user","content":"Hi"}],"model":"${OWN_NAME}","x_y":1.50}`;
    const response = await readStream(await open(gateway.baseUrl, chatRequest(account.key, body)));
    const sent = recorded(response).body ?? '';
    expect(JSON.parse(sent)).toEqual({
      ...JSON.parse(body),
      model: UPSTREAM_NAME,
      stream_options: { include_usage: true },
    });
    expect(sent).toContain('"x_y":1.50');
  });

  it('keeps the other stream options', async () => {
    const options = { include_obfuscation: true, x_other: 1 };
    const body = { model: OWN_NAME, messages: say('Hi'), stream: true, stream_options: options };
    const response = await readStream(await open(gateway.baseUrl, chatRequest(account.key, body)));
    expect(JSON.parse(recorded(response).body ?? '')).toMatchObject({
      stream_options: { ...options, include_usage: true },
    });
    expect(response.raw).toContain('"obfuscation":"simulated"');
  });

  it("has the gateway's credential and trace, and no header of the client", async () => {
    const request = chatRequest(account.key, { model: OWN_NAME, messages: say('Hi') });
    const response = await gateway.send({
      ...request,
      headers: {
        ...request.headers,
        cookie: 'session=secret',
        'x-forwarded-for': '10.0.0.1',
        'x-private': 'yes',
        'openai-organization': 'org-client',
        'openai-beta': 'something',
        traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
      },
    });
    const { headers, trace_id } = recorded(response);
    expect(headers.authorization).toBe(`sha256:${hash('sha256', `Bearer ${PROVIDER_KEY}`)}`);
    expect(trace_id).toBe(String(response.headers['x-trace-id']).replaceAll('-', ''));
    expect(trace_id).not.toBe('0123456789abcdef0123456789abcdef');
    for (const name of ['cookie', 'x-forwarded-for', 'x-private', 'openai-organization', 'openai-beta', 'x-api-key']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(response.headers['x-tollgate-warnings']).toMatch(/openai-organization.*openai-beta/);
  });

  it('stores nothing at the provider, and warns about dropped fields', async () => {
    const body = { model: OWN_NAME, messages: say('Hi'), store: true, metadata: { a: 'b' } };
    const response = await gateway.chat(account.key, body);
    const sent: unknown = JSON.parse(recorded(response).body ?? '');
    expect(sent).toMatchObject({ store: false });
    expect(sent).not.toHaveProperty('metadata');
    expect(response.headers['x-tollgate-warnings']).toMatch(/store.*metadata/);
  });

  it('keeps nulls and lone halves of surrogate pairs', async () => {
    const nulls = '"max_tokens":null,"stream":null,"tools":null,"stop":null,"temperature":null';
    const body = `{"model":"${OWN_NAME}","messages":[{"role":"user","content":"\\ud83d"}],${nulls}}`;
    const response = await gateway.send(chatRequest(account.key, body));
    expect(response.status).toBe(200);
    expect(recorded(response).body).toBe(body.replace(OWN_NAME, UPSTREAM_NAME));
  });

  it('omits provider-run tools that are only declared', async () => {
    const own = { type: 'function', function: { name: 'mine', parameters: { type: 'object' } } };
    const tools = [{ type: 'web_search' }, own, { type: 'code_interpreter', container: { type: 'auto' } }];
    const response = await gateway.chat(account.key, { model: OWN_NAME, messages: say('Hi'), tools });
    expect(JSON.parse(recorded(response).body ?? '')).toMatchObject({ tools: [own] });
    expect(response.headers['x-tollgate-warnings']).toMatch(/tools\[0\].*tools\[2\]/);
  });

  it.each([
    [{ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }, 'tools[0]'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      'messages[0].content[0].file.file_id',
    ],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ modalities: ['text', 'audio'] }, 'modalities[1]'],
  ])('is not made for %j, which the message names', async (fields, named) => {
    const calls = gateway.simulator.recorder.stats.calls;
    const response = await gateway.chat(account.key, { model: OWN_NAME, messages: say('Hi'), ...fields });
    expect(response.status).toBe(400);
    expect(textAt(response.json, 'error', 'type')).toBe('invalid_request_error');
    expect(textAt(response.json, 'error', 'message')).toContain(named);
    expect(gateway.simulator.recorder.stats.calls).toBe(calls);
  });
});

describe('the response downstream', () => {
  it("has the provider's bytes, except for model and cost", async () => {
    const body = JSON.stringify({
      model: OWN_NAME,
      messages: say('Hi'),
      ...simulate({ output_tokens: 4, padding_bytes: 50 }),
    });
    const response = await gateway.send(chatRequest(account.key, body));
    const original = await direct(body.replace(OWN_NAME, UPSTREAM_NAME));
    const cost = `,"cost":${response.headers['x-request-cost']}`;
    expect(response.text.replace(cost, '')).toBe(original.text.replace(`"${UPSTREAM_NAME}"`, `"${OWN_NAME}"`));
    expect(response.text).toContain(`${cost}}`);
  });

  it.each([
    {},
    { crlf: true },
    { comments: true },
    { split_bytes: 7 },
    { usage: 'with_finish' },
    { usage: 'cumulative' },
  ])('as a stream has the events of the provider: %j', async (controls) => {
    const body = {
      model: OWN_NAME,
      messages: say('Grüße 😀'),
      stream: true,
      ...simulate({ output_tokens: 6, ...controls }),
    };
    const response = await readStream(await open(gateway.baseUrl, chatRequest(account.key, body)));
    const upstreamBody = recorded(response).body ?? '';
    const original = await direct(upstreamBody);
    const expected = original.text
      .split(/\r?\n\r?\n/)
      .filter((event) => event.startsWith('data:') && !event.includes('"choices":[]'))
      .map((event) => event.slice(6))
      .map((data) =>
        data.replace(`"${UPSTREAM_NAME}"`, `"${OWN_NAME}"`).replace(/,"usage":(null|\{.*\}\})(?=\}$)/, ''),
      );
    expect(response.data).toEqual(expected);
  });

  it('is decoded as UTF-8 for any chunks', async () => {
    const text = 'äöü€😀'.repeat(20);
    const body = { model: OWN_NAME, messages: say('Hi'), stream: true, ...simulate({ text, split_bytes: 3 }) };
    const response = await readStream(await open(gateway.baseUrl, chatRequest(account.key, body)));
    const said = response.chunks.map((chunk) => JSON.stringify(chunk)).join('');
    expect(said).not.toContain('\ufffd');
  });

  it('may be large, buffered or streamed', async () => {
    for (const stream of [false, true]) {
      const body = { model: OWN_NAME, messages: say('Hi'), stream, ...simulate({ padding_bytes: 8_000_000 }) };
      const response = await gateway.chat(account.key, body);
      expect({ status: response.status, isLarge: response.text.length > 8_000_000 }).toEqual({
        status: 200,
        isLarge: true,
      });
    }
  });

  it('waits for a client that does not read, without loss', async () => {
    // About 90 MB of events: sockets between may buffer 36 MiB each, the limit of Linux.
    const size = { n: 128, max_tokens: 3_000 };
    const body = { model: OWN_NAME, messages: say('Hi'), stream: true, ...size, ...simulate({ output_tokens: 'max' }) };
    const message = await open(gateway.baseUrl, chatRequest(account.key, body));
    message.pause();
    const call = () => gateway.simulator.recorder.list(String(message.headers['x-trace-id']).replaceAll('-', ''))[0];
    let seen = -1;
    const stands = () => {
      const events = call()?.events ?? 0;
      const same = events === seen;
      seen = events;
      return same;
    };
    // Backpressure reaches the provider: it stops before its end.
    await expect.poll(stands, { interval: 500 }).toBe(true);
    expect(call()?.state).toBe('open');
    const text = await readText(message);
    expect(text.match(/^data: \{/gm)).toHaveLength(size.n * (size.max_tokens + 2));
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('has every choice, buffered or streamed', async () => {
    const body = { model: OWN_NAME, messages: say('Hi'), n: 3, ...simulate({ output_tokens: 4 }) };
    const buffered = await gateway.chat(account.key, body);
    expect(at(buffered.json, 'choices', 2, 'index')).toBe(2);
    const streamed = await readStream(await open(gateway.baseUrl, chatRequest(account.key, { ...body, stream: true })));
    expect(new Set(streamed.chunks.map((chunk) => at(chunk, 'choices', 0, 'index')))).toEqual(new Set([0, 1, 2]));
    expect(await recordOf(gateway, account, streamed.headers['x-request-id'])).toMatchObject({ usage: { output: 12 } });
  });
});
