import type { Account } from '@tollgate/test-support/gateway/accounts';
import { type Gateway, say } from '@tollgate/test-support/gateway/gateway';
import { parse, sendBytes, type WireRequest } from '@tollgate/test-support/gateway/http';
import { at, textAt } from '@tollgate/test-support/gateway/json';
import { describe, expect, it, vi } from 'vitest';
import { expectBillingError, expectModelError, UUID_V7, VALID_UUID } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

let gateway: Gateway;
let account: Account;
let auth: { authorization: string };

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000n);
  auth = { authorization: `Bearer ${account.key}` };
});

const WEBSOCKET = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

describe('without a key', () => {
  it('HEAD / returns 200', async () => {
    const response = await gateway.send({ method: 'HEAD', path: '/' });
    expect(response.status).toBe(200);
    expect(response.headers['x-trace-id']).toMatch(VALID_UUID);
  });

  it('health checks respond', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      const response = await gateway.send({ path });
      expect(response.status).toBe(200);
      expect(response.headers['x-request-id']).toMatch(UUID_V7);
    }
  });

  it.each([
    ['an unknown path', { path: '/v1/nowhere' }],
    ['GET /', { path: '/' }],
    ['a wrong method', { method: 'DELETE', path: '/v1/models' }],
    ['another method of the health paths', { method: 'POST', path: '/health/live' }],
    ['OPTIONS', { method: 'OPTIONS', path: '/v1/chat/completions' }],
    ['a WebSocket upgrade', { path: '/v1/responses', headers: WEBSOCKET }],
    ['a malformed body', { method: 'POST', path: '/v1/chat/completions', body: '{' }],
    ['a body over the limit', { method: 'POST', path: '/v1/chat/completions', body: 'x'.repeat(3 * 1024 * 1024) }],
    ['a path that cannot be decoded', { path: '/v1/models/%zz' }],
  ])('%s is a 401 before it is anything else', async (_, wire) => {
    expectModelError(await gateway.send(wire), { status: 401, type: 'missing_auth_credential' });
  });

  it('does not wait for a body', async () => {
    const text = await sendBytes(
      gateway.baseUrl,
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n{',
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(at(parse(text.slice(text.indexOf('\r\n\r\n'))), 'error', 'type')).toBe('missing_auth_credential');
  });
});

describe('with a key', () => {
  it.each(['/v1/nowhere', '/', '/V1/models', '/v1/chat', '/v2/models', '/v1/chat/completions/x'])(
    '%s is a 404',
    async (path) => {
      expectModelError(await gateway.send({ path, headers: auth }), { status: 404, type: 'invalid_request_error' });
    },
  );

  it('returns 404 for unknown paths in the format of their protocol', async () => {
    const unknown = { status: 404, type: 'invalid_request_error' };
    const messages = await gateway.send({ path: '/v1/messages/x', headers: auth });
    expectModelError(messages, { ...unknown, surface: 'messages' });
    const generative = await gateway.send({ method: 'POST', path: '/v1beta/models/x:unknown', headers: auth });
    expectModelError(generative, { ...unknown, surface: 'generative' });
  });

  it.each(['/v1/batches', '/v1/responses/resp_1', '/v1/files'])('says why %s is not supported', async (path) => {
    const response = await gateway.send({ path, headers: auth });
    expectModelError(response, { status: 404, type: 'invalid_request_error', message: /not stored|Batches/ });
  });

  it.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/chat/completions', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/v1/models/small', 'GET, HEAD'],
    ['PATCH', '/models', 'GET, HEAD'],
  ])('%s %s is a 405 that reports what is allowed', async (method, path, allow) => {
    const response = await gateway.send({ method, path, headers: auth });
    expectModelError(response, { status: 405, type: 'invalid_request_error' });
    expect(response.headers.allow).toBe(allow);
  });

  it('the billing paths return 404 and 405 in their own format', async () => {
    expectBillingError(await gateway.send({ path: '/v1/billing', headers: auth }), 404, 'not_found');
    expectBillingError(await gateway.send({ path: '/v1/billing/x/y', headers: auth }), 404, 'not_found');
    const response = await gateway.send({ method: 'POST', path: '/v1/billing/balance', headers: auth });
    expectBillingError(response, 405, 'invalid_request');
    expect(response.headers.allow).toBe('GET, HEAD');
  });

  it.each(['/v1/responses/compact', '/v1/chat/completions', '/v1/models'])(
    'a WebSocket upgrade of %s is a 426',
    async (path) => {
      const response = await gateway.send({ path, headers: { ...WEBSOCKET, ...auth } });
      expectModelError(response, { status: 426, type: 'invalid_request_error' });
    },
  );

  it.each<[string, Partial<WireRequest>, number]>([
    ['a POST', { method: 'POST', headers: WEBSOCKET, body: '{}' }, 426],
    ['another protocol', { headers: { ...WEBSOCKET, upgrade: 'h2c' } }, 405],
    ['no upgrade', {}, 405],
  ])('%s to the path of WebSockets is refused', async (_, { headers, ...wire }, status) => {
    const response = await gateway.send({ path: '/v1/responses', ...wire, headers: { ...headers, ...auth } });
    expectModelError(response, { status, type: 'invalid_request_error' });
  });

  it.each([
    ['version', { 'sec-websocket-version': '8' }],
    ['key', { 'sec-websocket-key': 'short' }],
  ])('a WebSocket upgrade with another %s is a 400 that names the header', async (name, headers) => {
    const response = await gateway.send({ path: '/v1/responses', headers: { ...WEBSOCKET, ...auth, ...headers } });
    const message = new RegExp(`sec-websocket-${name}`, 'i');
    expectModelError(response, { status: 400, type: 'invalid_request_error', message });
  });

  it('a WebSocket upgrade with a wrong key is a 401', async () => {
    const headers = { ...WEBSOCKET, authorization: `${auth.authorization}x` };
    const response = await gateway.send({ path: '/responses', headers });
    expectModelError(response, { status: 401, type: 'invalid_bearer_token' });
  });

  it('a path that cannot be decoded is a 400', async () => {
    const response = await gateway.send({ path: '/v1/models/%zz', headers: auth });
    expectModelError(response, { status: 400, type: 'invalid_request_error' });
  });

  it('paths are matched without their query', async () => {
    const response = await gateway.send({ path: '/v1/models?beta=true&x=%20', headers: auth });
    expect(response.status).toBe(200);
  });

  it('HEAD returns the headers of GET', async () => {
    const response = await gateway.send({ method: 'HEAD', path: '/v1/models', headers: auth });
    expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: '' });
  });

  it('every response has unique ids', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => gateway.send({ path: '/v1/models', headers: auth })),
    );
    for (const name of ['x-trace-id', 'x-request-id']) {
      expect(new Set(responses.map((response) => response.headers[name])).size).toBe(20);
    }
  });

  it("a client's traceparent and ids are ignored", async () => {
    const headers = {
      ...auth,
      traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
      'x-request-id': 'mine',
      'x-trace-id': 'mine',
    };
    const response = await gateway.send({ path: '/v1/models', headers });
    expect(response.headers['x-request-id']).toMatch(UUID_V7);
    expect(response.headers['x-trace-id']).toMatch(VALID_UUID);
    expect(response.headers['x-trace-id']).not.toBe('01234567-89ab-cdef-0123-456789abcdef');
  });
});

describe('without an exporter of spans', () => {
  it('the ids of a request are in its headers, in its line of the log and at the provider', async () => {
    const body = { model: 'small', messages: say('Hi') };
    const response = await gateway.chat(account.key, body);
    const traceId = textAt(response.headers, 'x-trace-id').replaceAll('-', '');
    const [call] = gateway.simulator.recorder.list(traceId);
    expect(call?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    const line = () => gateway.stack.logs.read('ingress').find((each) => each.includes(traceId));
    await vi.waitFor(() => expect(line()).toBeDefined(), { timeout: 30_000 });
    expect(JSON.parse(line() ?? '')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'ingress',
      trace_id: traceId,
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      request_id: response.headers['x-request-id'],
      account_id: account.accountId,
      key_id: account.keyId,
      method: 'POST',
      route: '/v1/chat/completions',
      status: 200,
      duration_ms: expect.any(Number),
      msg: 'request',
    });
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['a line of noise', 'NOISE\r\n\r\n', 400],
    ['a header without an end', `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['two lengths', 'POST /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ])('%s gets an error of the usual shape, and the connection is closed', async (_, bytes, status) => {
    const text = await sendBytes(gateway.baseUrl, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text.toLowerCase()).toContain('connection: close');
    const body = parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({ error: { type: 'invalid_request_error', code: status, details: null } });
    expect(text.toLowerCase()).toContain(`x-trace-id: ${String(at(body, 'trace_id'))}`);
  });

  it('responds to two requests in one write, in order', async () => {
    const request = (path: string, last: boolean) =>
      `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${account.key}\r\n${last ? 'connection: close\r\n' : ''}\r\n`;
    const text = await sendBytes(gateway.baseUrl, request('/v1/models/small', false) + request('/v1/nowhere', true));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  });
});
