import { once } from 'node:events';
import { connect } from 'node:net';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, simulate } from '@tollgate/test-support/gateway/gateway';
import { parse, sendBytes } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { UUID_V7, VALID_UUID } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

/*
 * Every response has the contract's body and ids, even those that Node.js, Express or undici would produce.
 */

let gateway: Gateway;
let account: Account;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000n);
});

interface RawResponse {
  status: number;
  head: string;
  body: string;
}

/** Splits a connection's output into responses, each of which must have a length. */
function answersOf(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const head = end === -1 ? rest : rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? (status < 200 ? 0 : Number.NaN));
    if (end === -1 || Number.isNaN(status) || Number.isNaN(length)) throw new Error(`not a response: ${rest}`);
    responses.push({ status, head, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}

function expectError({ head, body, status }: RawResponse, expected: { status: number; type: string }): void {
  const json = parse(body);
  expect({ status, type: at(json, 'error', 'type'), code: at(json, 'error', 'code'), body }).toMatchObject({
    ...expected,
    code: expected.status,
  });
  expect(at(json, 'error', 'message')).toMatch(/\S/);
  expect(at(json, 'trace_id')).toMatch(VALID_UUID);
  expect(/\r\nx-trace-id: (.*)/i.exec(head)?.[1]).toBe(at(json, 'trace_id'));
  expect(/\r\nx-request-id: (.*)/i.exec(head)?.[1]).toMatch(UUID_V7);
  expect(head).toMatch(/\r\ncontent-type: application\/json/i);
}

const CHAT = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Hi' }] });
const HOST = 'host: x\r\nconnection: close\r\n';
/** `KEY` stands for the header with the account's key. */
const KEY = 'KEY\r\n';
const POST_CHUNKED = `POST /v1/chat/completions HTTP/1.1\r\n${HOST}${KEY}transfer-encoding: chunked\r\n\r\n`;
const invalid = (status: number) => ({ status, type: 'invalid_request_error' });
const noKey = { status: 401, type: 'missing_auth_credential' };

const send = async (bytes: string | Buffer) =>
  answersOf(
    await sendBytes(
      gateway.baseUrl,
      typeof bytes === 'string' ? bytes.replace('KEY', `x-api-key: ${account.key}`) : bytes,
    ),
  );

describe('heads', () => {
  it.each<[string, string | Buffer, { status: number; type: string }]>([
    ['a line of noise', 'NOISE\r\n\r\n', invalid(400)],
    ['a TLS handshake', Buffer.from('16030100f8010000f40303', 'hex'), invalid(400)],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', invalid(400)],
    ['a version that is none', `GET /v1/models HTTP/3.7\r\n${HOST}\r\n`, invalid(400)],
    ['HTTP/0.9', 'GET /v1/models\r\n\r\n', noKey],
    ['HTTP/1.0 without a host', 'GET /v1/models HTTP/1.0\r\n\r\n', noKey],
    ['HTTP/1.1 without a host', 'GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n', invalid(400)],
    ['a key and no host', `GET /v1/models HTTP/1.1\r\n${KEY}connection: close\r\n\r\n`, invalid(400)],
    ['two hosts', `GET /v1/models HTTP/1.1\r\nHost: y\r\n${HOST}\r\n`, invalid(400)],
    ['health without a host', 'GET /health/live HTTP/1.1\r\nconnection: close\r\n\r\n', invalid(400)],
    ['an expectation nobody knows', `GET /v1/models HTTP/1.1\r\n${HOST}expect: nonsense\r\n\r\n`, invalid(417)],
    ['and with a key', `GET /v1/models HTTP/1.1\r\n${HOST}${KEY}expect: nonsense\r\n\r\n`, invalid(417)],
    ['a method nobody knows', `FOO /v1/models HTTP/1.1\r\n${HOST}\r\n`, invalid(400)],
    ['a method of others', `M-SEARCH /v1/models HTTP/1.1\r\n${HOST}\r\n`, noKey],
    ['CONNECT', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, invalid(405)],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, noKey],
    ['TRACE', `TRACE / HTTP/1.1\r\n${HOST}\r\n`, noKey],
    ['an upgrade to HTTP/2', `GET / HTTP/1.1\r\nhost: x\r\nconnection: close, upgrade\r\nupgrade: h2c\r\n\r\n`, noKey],
    ['a target without its slash', `GET v1/models HTTP/1.1\r\n${HOST}\r\n`, invalid(400)],
    ['a target that is an absolute URL', `GET http://x/v1/models HTTP/1.1\r\n${HOST}\r\n`, noKey],
    ['a URL with a broken host', `GET http://[::1/v1/models HTTP/1.1\r\n${HOST}\r\n`, invalid(400)],
    ['a URL with a port that is none', `GET http://x:99999999/v1/models HTTP/1.1\r\n${HOST}\r\n`, invalid(400)],
    ['a URL of another scheme', `GET ftp://x/v1/models HTTP/1.1\r\n${HOST}\r\n`, invalid(400)],
    ['a URL without a path', `GET http://x HTTP/1.1\r\n${HOST}\r\n`, noKey],
    ['a path of two slashes', `GET //x:y/v1/models HTTP/1.1\r\n${HOST}\r\n`, noKey],
    ['a path with a control character', `GET /v1/models\x01 HTTP/1.1\r\n${HOST}\r\n`, invalid(400)],
    ['a path that cannot be decoded', `GET /v1/models/%zz HTTP/1.1\r\n${HOST}${KEY}\r\n`, invalid(400)],
    ['a path that decodes to no UTF-8', `POST /v1/models/%ff%fe HTTP/1.1\r\n${HOST}${KEY}\r\n`, invalid(400)],
    ['a path without an end', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n${HOST}\r\n`, invalid(431)],
    ['a header without an end', `GET / HTTP/1.1\r\nx-long: ${'a'.repeat(70_000)}\r\n${HOST}\r\n`, invalid(431)],
    ['headers without an end', `GET / HTTP/1.1\r\n${'x-many: a\r\n'.repeat(7_000)}${HOST}\r\n`, invalid(431)],
    ['a header name with a space', `GET / HTTP/1.1\r\n${HOST}x long: a\r\n\r\n`, invalid(400)],
    ['a header with a NUL', `GET / HTTP/1.1\r\n${HOST}x-nul: a\0b\r\n\r\n`, invalid(400)],
    ['a folded header', `GET / HTTP/1.1\r\n${HOST}x-folded: a\r\n b\r\n\r\n`, invalid(400)],
    ['lines without carriage returns', 'GET /v1/models HTTP/1.1\nhost: x\n\n', invalid(400)],
    ['a length that is none', `POST / HTTP/1.1\r\n${HOST}content-length: abc\r\n\r\n`, invalid(400)],
    ['a negative length', `POST / HTTP/1.1\r\n${HOST}content-length: -1\r\n\r\n`, invalid(400)],
    ['two lengths', `POST / HTTP/1.1\r\n${HOST}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, invalid(400)],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${HOST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      invalid(400),
    ],
    ['a transfer encoding that is none', `POST / HTTP/1.1\r\n${HOST}transfer-encoding: gzip\r\n\r\nabc`, invalid(400)],
  ])('%s gets one answer of the usual shape', async (_, bytes, expected) => {
    const [response, ...others] = await send(bytes);
    expect(others).toEqual([]);
    if (response === undefined) throw new Error('there was no response');
    expectError(response, expected);
  });

  it('HEAD gets headers only', async () => {
    const text = await sendBytes(gateway.baseUrl, `HEAD /v1/nowhere HTTP/1.1\r\nconnection: close\r\nhost: x\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(text).toMatch(/\r\nx-trace-id: [0-9a-f-]{36}\r\n/);
    expect(text.slice(text.indexOf('\r\n\r\n'))).toBe('\r\n\r\n');
  });
});

describe('bodies', () => {
  it.each<[string, string, { status: number; type: string }]>([
    ['a chunk without a length', `${POST_CHUNKED}zz\r\n${CHAT}`, invalid(400)],
    ['a chunk that breaks off', `${POST_CHUNKED}5\r\n{"mod\r\nzz\r\n`, invalid(400)],
    ['a chunk longer than it says', `${POST_CHUNKED}1\r\n{}\r\n0\r\n\r\n`, invalid(400)],
    ['a chunk extension without an end', `${POST_CHUNKED}5;${'a'.repeat(70_000)}\r\n{"mod\r\n0\r\n\r\n`, invalid(400)],
    ['trailers without an end', `${POST_CHUNKED}2\r\n{}\r\n0\r\n${'x-many: a\r\n'.repeat(7_000)}\r\n`, invalid(431)],
  ])('%s gets one answer of the usual shape', async (_, bytes, expected) => {
    const [response, ...others] = await send(bytes);
    expect(others).toEqual([]);
    if (response === undefined) throw new Error('there was no response');
    expectError(response, expected);
  });

  it('a broken body gets an error in the format of its path', async () => {
    const head = `POST /v1/messages HTTP/1.1\r\n${HOST}${KEY}transfer-encoding: chunked\r\n\r\n`;
    const [response] = await send(`${head}5\r\n{"mod\r\nzz\r\n`);
    expect(parse(response?.body ?? '')).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it('a client with Expect is rejected without sending its body', async () => {
    const expecting = `expect: 100-continue\r\ncontent-length: ${CHAT.length}\r\n\r\n`;
    const responses = await send(`POST /v1/chat/completions HTTP/1.1\r\n${HOST}${expecting}`);
    expect(responses.map(({ status }) => status)).toEqual([401]);
  });

  it('a client with Expect gets 100 Continue once its key is verified', async () => {
    const expecting = `expect: 100-continue\r\ncontent-length: ${CHAT.length}\r\n\r\n`;
    const responses = await send(`POST /v1/chat/completions HTTP/1.1\r\n${HOST}${KEY}${expecting}${CHAT}`);
    expect(responses.map(({ status }) => status)).toEqual([100, 200]);
  });
});

describe('garbage after a request', () => {
  it('gets an error instead of a response that has not started', async () => {
    const responses = await send('GET /v1/models HTTP/1.1\r\nhost: x\r\nKEY\r\n\r\nNOISE\r\n\r\n');
    expect(responses.map(({ status }) => status)).toEqual([400]);
  });

  it('gets no error within a started response', async () => {
    const body = JSON.stringify({
      model: 'small',
      stream: true,
      messages: [{ role: 'user', content: 'Hi' }],
      ...simulate({ token_delay_ms: 100, output_tokens: 200 }),
    });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.key}\r\n`;
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.on('data', (chunk) => {
      if (text === '') socket.write('NOISE\r\n\r\n');
      text += chunk.toString('latin1');
    });
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
    await once(socket, 'close');
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });
});
