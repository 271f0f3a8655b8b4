import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { listen } from '@tollgate/common/http-server';
import { createLogger } from '@tollgate/common/logging';
import { sendBytes } from '@tollgate/test-support/gateway/http';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../testing/api-client.ts';
import { RunningConsole } from '../testing/running-console.ts';
import { ensureFirstOperator } from './jobs/ensure-first-operator.ts';
import { createServer } from './server.ts';

const PAGE = '<!doctype html><title>Tollgate</title>';
const SCRIPT = 'console.log(1);';
const folder = makeTemporaryFolder();
let running: RunningConsole;
let url: string;
let isStopping = false;
let stop: () => void;

beforeAll(async () => {
  running = await RunningConsole.start();
  mkdirSync(join(folder.path, 'assets'));
  writeFileSync(join(folder.path, 'index.html'), PAGE);
  writeFileSync(join(folder.path, 'assets/app-1.js'), SCRIPT);
  writeFileSync(join(folder.path, 'assets/app-1.js.gz'), gzipSync(SCRIPT));
  const options = { webAppFolder: folder.path, isStopping: () => isStopping };
  const server = createServer(running.console.dependencies, options);
  url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  stop = () => server.close();
});
afterAll(async () => {
  stop();
  await running.stop();
  folder.remove();
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers });
const asBrowser = { accept: 'text/html,*/*' };

describe('web app', () => {
  it('sends its page for every address that a browser opens, and revalidates it', async () => {
    for (const path of ['/', '/accounts/1/models/model-1.5', '/reset']) {
      const response = await get(path, asBrowser);
      expect([response.status, await response.text()]).toEqual([200, PAGE]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
    const etag = (await get('/', asBrowser)).headers.get('etag') ?? '';
    // Without cache-control, fetch sends no-cache for a request with a condition, as browsers do when they reload.
    const again = { ...asBrowser, 'if-none-match': etag, 'cache-control': 'max-age=0' };
    expect((await get('/', again)).status).toBe(304);
  });

  it('sends files with a hash in their name as the build has compressed them, to be kept', async () => {
    const response = await get('/assets/app-1.js', { 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toBe(gunzipSync(gzipSync(SCRIPT)).toString());
  });

  it('responds with 404 for missing files, unknown operations and paths outside its folder', async () => {
    for (const path of ['/assets/old.js', '/api/unknown', '/management/v1/unknown', '/assets/..%2f..%2fpackage.json'])
      expect((await get(path, asBrowser)).status).toBe(404);
  });

  it('confines what a browser does with a page', async () => {
    const { headers } = await get('/', asBrowser);
    expect(headers.get('content-security-policy')).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('health', () => {
  it('is ready with its schema, and not while the process stops', async () => {
    expect(await (await get('/health/live')).json()).toEqual({ status: 'live' });
    expect((await get('/health/ready')).status).toBe(200);
    isStopping = true;
    const response = await get('/health/ready');
    expect([response.status, await response.json()]).toEqual([503, { status: 'not ready', reason: 'stopping' }]);
  });
});

describe('connections', () => {
  it.each([
    ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n', 417],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400],
    ['an invalid target', 'GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a malformed line', 'GET / NOISE\r\n\r\n', 400],
    ['a head that is too large', `GET / HTTP/1.1\r\nhost: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ])('get an error with a body and a trace id for %s', async (_, bytes, status) => {
    const response = await sendBytes(url, bytes.replace('host', 'connection: close\r\nhost'));
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\r\nx-trace-id: [0-9a-f-]{36}\r\n`, 'i'));
    expect(JSON.parse(body)).toEqual({ error: { code: 'invalid_request', message: expect.any(String), field: null } });
  });

  it('are asked for the body that a client announces', async () => {
    const body = '{"email":"nobody@example.com","password":"wrong"}';
    const head = [
      'POST /api/session HTTP/1.1',
      `host: ${new URL(url).host}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      'expect: 100-continue',
      'connection: close',
    ].join('\r\n');
    const response = await sendBytes(url, `${head}\r\n\r\n${body}`);
    expect(response).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 40[13] /);
  });

  it('with half a head, however many, leave room for others', async () => {
    const { port } = new URL(url);
    const halves = Array.from({ length: 2_000 }, () => connect({ host: '127.0.0.1', port: Number(port) }));
    await Promise.all(
      halves.map(async (socket) => {
        await once(
          socket.on('error', () => undefined),
          'connect',
        );
        socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
      }),
    );
    const ask = 'GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    expect(await sendBytes(url, ask)).toMatch(/^HTTP\/1\.1 200 /);
    for (const socket of halves) socket.destroy();
  });
});

describe('first operator', () => {
  it('is created once and signs in with the configured password', async () => {
    const config = { FIRST_OPERATOR_EMAIL: 'first@example.com', FIRST_OPERATOR_PASSWORD: 'correct horse battery' };
    const { auth, passwords } = running.console.dependencies;
    const options = { auth, passwords, logger: createLogger('test', 'silent'), config };
    const { signal } = new AbortController();
    await ensureFirstOperator(options, signal);
    await ensureFirstOperator(
      { ...options, config: { ...config, FIRST_OPERATOR_PASSWORD: 'another password' } },
      signal,
    );
    const anyone = new ApiClient(running.url, undefined);
    const body = { email: config.FIRST_OPERATOR_EMAIL, password: config.FIRST_OPERATOR_PASSWORD };
    expect(await anyone.ok('POST /session', { body })).toMatchObject({ person: { is_operator: true } });
  });
});
