import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANTHROPIC_HEADERS, at, callStream, dataOf } from '../testing/call.ts';
import { type Simulator, startSimulator } from '../testing/start-simulator.ts';
import { STATUS_FAILURES } from './controls/schema.ts';

let simulator: Simulator;
let guarded: Simulator;

beforeAll(async () => {
  const options = { host: '127.0.0.1', port: 0, onError: (error: unknown) => expect.fail(String(error)) };
  simulator = await startSimulator(options);
  guarded = await startSimulator({ ...options, apiKey: 'right' });
});
afterAll(() => Promise.all([simulator.stop(100), guarded.stop(100)]));

const MESSAGES = [{ role: 'user', content: 'Hello' }];
const GEMINI = '/v1beta/models/m:';

/** Each protocol's calls, the place of text in a stream, and the parts of an error. */
const PROTOCOLS = [
  {
    name: 'openai-chat',
    path: '/v1/chat/completions',
    streamPath: '/v1/chat/completions',
    body: { model: 'm', messages: MESSAGES },
    textOf: (event: unknown) => at(event, 'choices', 0, 'delta', 'content'),
    keyHeaders: ['authorization'],
    error: { error: { message: expect.any(String), type: expect.any(String) } },
    tooLong:
      "This model's maximum context length is 5 tokens. However, your messages resulted in 9 tokens. Please reduce the length of the messages.",
  },
  {
    name: 'openai-responses',
    path: '/v1/responses',
    streamPath: '/v1/responses',
    body: { model: 'm', input: 'Hello' },
    textOf: (event: unknown) => (at(event, 'type') === 'response.output_text.delta' ? at(event, 'delta') : undefined),
    keyHeaders: ['authorization'],
    error: { error: { message: expect.any(String), type: expect.any(String) } },
    tooLong: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  {
    name: 'anthropic-messages',
    path: '/v1/messages',
    streamPath: '/v1/messages',
    body: { model: 'm', max_tokens: 100, messages: MESSAGES },
    textOf: (event: unknown) => at(event, 'delta', 'text'),
    keyHeaders: ['x-api-key', 'authorization'],
    error: { type: 'error', error: { type: expect.any(String), message: expect.any(String) } },
    tooLong: 'prompt is too long: 9 tokens > 5 maximum',
  },
  {
    name: 'gemini',
    path: `${GEMINI}generateContent`,
    streamPath: `${GEMINI}streamGenerateContent?alt=sse`,
    body: { contents: [{ parts: [{ text: 'Hello' }] }] },
    textOf: (event: unknown) => at(event, 'candidates', 0, 'content', 'parts', 0, 'text'),
    keyHeaders: ['x-goog-api-key', 'authorization'],
    error: { error: { code: expect.any(Number), message: expect.any(String), status: expect.any(String) } },
    tooLong: 'The input token count (9) exceeds the maximum number of tokens allowed (5).',
  },
];

describe.each(PROTOCOLS)('$name', ({ name, path, streamPath, body, textOf, keyHeaders, error, tooLong }) => {
  function post(fields: object, headers: Record<string, string> = {}, url = simulator.url) {
    const all = { ...ANTHROPIC_HEADERS, ...headers };
    return fetch(url + path, { method: 'POST', body: JSON.stringify({ ...body, ...fields }), headers: all });
  }

  function streamed(simulate: object) {
    return { ...body, simulate, ...(name === 'gemini' ? {} : { stream: true }) };
  }

  function stream(simulate: object) {
    return callStream(simulator.url + streamPath, streamed(simulate), ANTHROPIC_HEADERS);
  }

  const described = STATUS_FAILURES.filter((failure) => failure !== 502 && failure !== 'context_length_exceeded');

  it.each(described)('fails with %s in its own shape', async (fail) => {
    const response = await post({ simulate: { fail, retry_after_s: 7 } });
    if (typeof fail === 'number') expect(response.status).toBe(fail);
    expect(response.ok).toBe(false);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject(error);
  });

  it('refuses a prompt that is longer than its context window, in its own words', async () => {
    const simulate = { context_window: 5 };
    const response = await post({ simulate });
    expect(response.status).toBe(400);
    expect(at(await response.json(), 'error', 'message')).toBe(tooLong);
    expect((await post({ simulate: { context_window: 9 } })).status).toBe(200);
    const forced = await post({ simulate: { fail: 'context_length_exceeded' } });
    expect(forced.status).toBe(400);
    const small = await startSimulator({ host: '127.0.0.1', port: 0, contextWindow: 5, onError: String });
    expect(at(await (await post({}, {}, small.url)).json(), 'error', 'message')).toBe(tooLong);
    await small.stop(100);
  });

  it('fails at the transport', async () => {
    expect(await (await post({ simulate: { fail: 502 } })).text()).toContain('<html>');
    await expect(post({ simulate: { fail: 'reset' } })).rejects.toThrow();
    for (const fail of ['garbage', 'truncated', 'empty']) {
      await expect((await post({ simulate: { fail } })).json()).rejects.toThrow();
    }
  });

  it('fails only at first', async () => {
    const simulate = { fail: 503, fail_first: { count: 1, key: name } };
    expect((await post({ simulate })).status).toBe(503);
    expect((await post({ simulate })).status).toBe(200);
  });

  it.each([
    ['plainly', {}],
    ['split into single bytes', { split_bytes: 1 }],
    ['with CRLF', { crlf: true }],
    ['with comments', { comments: true }],
    ['with an event of a megabyte', { padding_bytes: 1_000_000 }],
    ['paced', { first_token_delay_ms: 5, token_delay_ms: 1 }],
  ])('streams a complete text: %s', async (_, controls) => {
    const text = 'Grüße, 世界 🌍: "quoted"\nline';
    const events = dataOf(await stream({ text, ...controls }));
    expect(events.map((event) => textOf(event) ?? '').join('')).toBe(text);
  });

  it('streams each event in a chunk of its own', async () => {
    const chunks = await chunksOf(simulator.url + streamPath, streamed({ output_tokens: 5 }));
    expect(chunks.length).toBeGreaterThan(5);
    for (const chunk of chunks) expect(chunk.match(/^data: /gm)).toHaveLength(1);
  });

  it('streams invalid JSON at the given event', async () => {
    const events = await stream({ garbage_after_events: 2 });
    expect(() => JSON.parse(events[2]?.data ?? '')).toThrow(SyntaxError);
    expect(events.length).toBeGreaterThan(4);
  });

  it('ends a stream at the given event', async () => {
    expect(await stream({ end_after_events: 3 })).toHaveLength(3);
  });

  it("accepts the key in its clients' headers, and rejects others", async () => {
    const keyed = (header: string, key: string) =>
      post({}, { [header]: header === 'authorization' ? `Bearer ${key}` : key }, guarded.url);
    for (const header of keyHeaders) {
      expect((await keyed(header, 'right')).status).toBe(200);
      const wrong = await keyed(header, 'wrong');
      expect(wrong.status).toBe(401);
      expect(await wrong.json()).toMatchObject(error);
    }
  });

  it('is recorded under its name', async () => {
    await (await post({})).text();
    const record = simulator.recorder.list().at(-1);
    expect(record).toMatchObject({ protocol: name, path, status: 200, state: 'finished' });
    expect(record?.body).toContain('Hello');
  });
});

/** The chunks of a response, as its server encoded them. */
function chunksOf(url: string, body: object): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const call = request(url, { method: 'POST', headers: ANTHROPIC_HEADERS }, (response) => {
    const chunks: string[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
    response.on('end', () => resolve(chunks));
  });
  call.on('error', reject).end(JSON.stringify(body));
  return promise;
}
