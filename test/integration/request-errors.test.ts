import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { balanceOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, MAX_BODY_BYTES, say } from '@tollgate/test-support/gateway/gateway';
import { sendBytes, type WireResponse } from '@tollgate/test-support/gateway/http';
import { textAt } from '@tollgate/test-support/gateway/json';
import { afterAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const DOLLAR = 1_000_000_000n;
const GOOD = JSON.stringify({ model: 'small', messages: say('Hi') });
let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  callsBefore = gateway.simulator.recorder.stats.calls;
  account = await gateway.accounts.create(DOLLAR);
});
afterAll(() => {
  // Only accepted requests were sent upstream.
  expect(gateway.simulator.recorder.stats.calls).toBe(callsBefore + responded);
});

let callsBefore = 0;
let responded = 0;

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<WireResponse> {
  const request = chatRequest(account.key, '');
  return gateway.send({ ...request, headers: { ...request.headers, ...headers }, body });
}

function message(fields: object): string {
  return JSON.stringify({ model: 'small', messages: say('Hi'), ...fields });
}

async function expectInvalid(body: string | Buffer, named: string | RegExp, headers = {}): Promise<void> {
  expectModelError(await post(body, headers), { status: 400, type: 'invalid_request_error', message: named });
}

async function expectServed(body: string | Buffer, headers = {}): Promise<void> {
  const response = await post(body, headers);
  expect({ status: response.status, text: response.status === 200 ? '' : response.text }).toEqual({
    status: 200,
    text: '',
  });
  responded += 1;
}

describe('a body that is not a JSON object', () => {
  it.each([
    ['empty', ''],
    ['white space', ' \r\n\t '],
    ['a word', 'hello'],
    ['cut short', GOOD.slice(0, -3)],
    ['with something after it', `${GOOD} x`],
    ['two objects', GOOD + GOOD],
    ['a list', '[]'],
    ['a text', '"hello"'],
    ['null', 'null'],
    ['in single quotes', "{'model':'small'}"],
    ['with a comment', `/* hi */ ${GOOD}`],
    ['with a comma too many', '{"model":"small","messages":[],}'],
    ['with NaN', '{"model":"small","messages":[],"temperature":NaN}'],
    ['with a raw line break in a text', '{"model":"sm\nall"}'],
    ['with a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(GOOD)])],
    ['of bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['in UTF-16', Buffer.from(GOOD, 'utf16le')],
    ['of zeros', Buffer.alloc(64)],
  ])('%s', async (_, body) => {
    await expectInvalid(body, /.+/);
  });

  it('without a body', async () => {
    const request = chatRequest(account.key, '');
    const response = await gateway.send({ method: 'POST', path: request.path, headers: { ...request.headers } });
    expectModelError(response, { status: 400, type: 'invalid_request_error' });
  });
});

describe('wrong types, with their path in the message', () => {
  it.each([
    ['{}', 'model'],
    ['{"messages":[{"role":"user","content":"Hi"}]}', 'model'],
    ['{"model":"small"}', 'messages'],
    [message({ model: 7 }), 'model'],
    [message({ model: '' }), 'model'],
    [message({ messages: [] }), 'messages'],
    [message({ messages: 'Hi' }), 'messages'],
    [message({ messages: [...say('a'), ...say('b'), { role: 'user', content: 3 }] }), 'messages[2].content'],
    [message({ messages: [{ role: 'user' }] }), 'messages[0].content'],
    [message({ messages: [{ content: 'Hi' }] }), 'messages[0].role'],
    [message({ messages: [{ role: 'king', content: 'Hi' }] }), 'messages[0].role'],
    [message({ messages: [null] }), 'messages[0]'],
    [message({ messages: [{ role: 'user', content: [{ type: 'text' }] }] }), 'messages[0].content[0].text'],
    [message({ messages: [{ role: 'user', content: [{ type: 'smell' }] }] }), 'messages[0].content[0].type'],
    [message({ messages: [{ role: 'tool', content: 'x' }] }), 'messages[0].tool_call_id'],
    [message({ temperature: 'warm' }), 'temperature'],
    [message({ temperature: 2.5 }), 'temperature'],
    [message({ max_tokens: 0 }), 'max_tokens'],
    [message({ max_tokens: -1 }), 'max_tokens'],
    [message({ max_tokens: 1.5 }), 'max_tokens'],
    [message({ max_tokens: 1e30 }), 'max_tokens'],
    [message({ max_tokens: '100' }), 'max_tokens'],
    [message({ max_tokens: 5, max_completion_tokens: 5 }), 'max_tokens'],
    [message({ n: 0 }), 'n'],
    [message({ n: 129 }), 'n'],
    [message({ stream: 'yes' }), 'stream'],
    [message({ stream_options: { include_usage: true } }), 'stream_options'],
    [message({ stream: true, stream_options: { include_usage: 1 } }), 'stream_options.include_usage'],
    [message({ tools: [{ type: 'function', function: {} }] }), 'tools[0].function.name'],
    [message({ stop: [1] }), 'stop[0]'],
    [message({ stop: ['a', 'b', 'c', 'd', 'e'] }), 'stop'],
    [message({ response_format: { type: 'xml' } }), 'response_format.type'],
  ])('%s', async (body, place) => {
    const response = await post(body);
    expectModelError(response, { status: 400, type: 'invalid_request_error' });
    const text = textAt(response.json, 'error', 'message');
    expect(text.startsWith(`${place}:`) || text.startsWith(`${place} `)).toBe(true);
  });

  it.each([
    ['{"model":"small","model":"odd","messages":[{"role":"user","content":"Hi"}]}', 'model'],
    ['{"model":"small","messages":[{"role":"user","content":"Hi","content":"Ho"}]}', 'messages[0]'],
    ['{"model":"small","messages":[{"role":"user","content":"Hi"}],"max_tokens":1,"max_\\u0074okens":9}', 'max_tokens'],
    ['{"model":"small","messages":[{"role":"user","content":"Hi"}],"x":{"a":1,"a":2}}', 'x'],
  ])('a key twice: %s', async (body, place) => {
    await expectInvalid(body, place);
  });

  it('excessive nesting', async () => {
    const deep = (depth: number) => `${'[1,'.repeat(depth)}1${']'.repeat(depth)}`;
    await expectInvalid(`{"model":"small","messages":[{"role":"user","content":"Hi"}],"x":${deep(100)}}`, /nest|deep/i);
    await expectInvalid('['.repeat(1_000_000), /nest|deep/i);
    await expectInvalid('{"a":'.repeat(300_000), /nest|deep/i);
  });
});

describe('too many values', () => {
  const many = (text: string) => text.repeat(Math.floor((MAX_BODY_BYTES - 200) / text.length)).slice(0, -1);

  it.each([
    ['elements', `{"model":"small","messages":${JSON.stringify(say('Hi'))},"x":[${many('0,')}]}`, 'x'],
    ['wrong messages', `{"model":"small","messages":[${many('[],')}]}`, 'messages'],
    ['empty objects', `{"model":"small","messages":[${many('{},')}]}`, 'messages'],
  ])('%s are refused, and others are served meanwhile', async (_, body, place) => {
    let waiting = true;
    let longest = 0;
    const probe = async () => {
      while (waiting) {
        const startedAt = performance.now();
        await gateway.send({ path: '/health/live' });
        longest = Math.max(longest, performance.now() - startedAt);
      }
    };
    const probing = probe();
    await expectInvalid(body, new RegExp(`^${place}.*more than \\d+ JSON values`));
    waiting = false;
    await probing;
    expect(longest).toBeLessThan(2_000);
  });
});

/** The default quality takes seconds for these sizes. */
function quickBrotli(data: string | Buffer): Buffer {
  return brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
}

describe('sizes and encodings', () => {
  const tooLarge = /request size \(\d+ bytes\) exceeds 2.097152 MB limit/;

  it('accepts a body of maximum size, and rejects one byte more', async () => {
    const frame = Buffer.byteLength(message({ messages: say('') }));
    const largest = message({ messages: say('a'.repeat(MAX_BODY_BYTES - frame)) });
    expect(Buffer.byteLength(largest)).toBe(MAX_BODY_BYTES);
    await expectServed(largest);
    await expectInvalid(`${largest} `, tooLarge);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', quickBrotli],
    ['zstd', zstdCompressSync],
  ])('a body in %s is taken, and a bomb is refused', async (encoding, compress) => {
    await expectServed(compress(GOOD), { 'content-encoding': encoding });
    const bomb = compress(Buffer.alloc(100 * 1024 * 1024, ' '));
    await expectInvalid(bomb, 'decompresses to more than 200 times its size', { 'content-encoding': encoding });
    const large = compress(Buffer.from(randomBytes(2 * 1024 * 1024).toString('hex')));
    await expectInvalid(large, tooLarge, { 'content-encoding': encoding });
  });

  it('accepts a chunked body, and rejects one that is too large', async () => {
    const send = (chunk: string, times: number) => {
      const coded = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
      const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.key}\r\nconnection: close\r\n`;
      return sendBytes(gateway.baseUrl, `${head}transfer-encoding: chunked\r\n\r\n${coded.repeat(times)}0\r\n\r\n`);
    };
    expect(await send(GOOD, 1)).toMatch(/^HTTP\/1\.1 200 /);
    responded += 1;
    const refused = await send('x'.repeat(65_536), 40);
    expect(refused).toMatch(/^HTTP\/1\.1 400 /);
    expect(refused).toMatch(tooLarge);
  });

  it('an unknown or incorrect encoding', async () => {
    await expectInvalid(GOOD, 'gzip, deflate, br, zstd or none', { 'content-encoding': 'zstd, x-own' });
    await expectInvalid(GOOD, 'content-encoding', { 'content-encoding': 'gzip' });
    await expectInvalid(gzipSync(GOOD).subarray(0, 20), 'content-encoding', { 'content-encoding': 'gzip' });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'])(
    'content type %s is refused by name',
    async (type) => {
      await expectInvalid(GOOD, 'content-type', { 'content-type': type });
    },
  );

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
    'content type %s is taken',
    async (type) => {
      await expectServed(GOOD, { 'content-type': type });
    },
  );
});

describe('models', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  const picture = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }];

  it.each(['no-such-model', 'small ', 'SMALL', '__proto__', 'constructor', 'x'.repeat(500)])(
    '%s does not exist',
    async (model) => {
      const response = await post(message({ model }));
      expectModelError(response, { status: 400, type: 'model_not_available', message: 'GET /v1/models' });
    },
  );

  it('a disabled one is not supported, and others are suggested', async () => {
    const response = await post(message({ model: 'switched-off' }));
    expectModelError(response, { status: 400, type: 'model_not_supported', message: /Try 'small'/ });
  });

  it('one that the key may not call is not supported, and only permitted ones are suggested', async () => {
    const own = await gateway.accounts.createKey(account.accountId, { allowedModels: ['odd'] });
    const response = await gateway.chat(own.key, { model: 'small', messages: say('Hi') });
    expectModelError(response, { status: 400, type: 'model_not_supported', message: /Try 'odd'\./ });
  });

  it('one of another protocol is named with its protocols', async () => {
    const response = await post(message({ model: 'responses-only' }));
    expectModelError(response, {
      status: 400,
      type: 'invalid_request_error',
      message: /responses-only.*openai-chat.*openai-responses/,
    });
  });

  it('an image is rejected for a text-only model, and accepted for a vision model', async () => {
    await expectInvalid(message({ messages: picture }), /image/);
    await expectServed(message({ model: 'vision', messages: picture }));
  });

  it('audio is rejected for both', async () => {
    const audio = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }] }];
    await expectInvalid(message({ messages: audio }), /audio/);
    await expectInvalid(message({ model: 'vision', messages: audio }), /audio/);
  });
});

it('rejected requests cost nothing', async () => {
  const poor = await gateway.accounts.create(DOLLAR);
  for (const body of ['{', '{}', message({ model: 'nope' }), message({ n: 0 })]) {
    await gateway.send({ ...chatRequest(poor.key, ''), body });
  }
  expect(await balanceOf(gateway, poor)).toBe(DOLLAR);
});
