import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendJson } from './send-json.ts';

const LIST = { data: Array.from({ length: 500 }, (_, i) => ({ name: `key ${i}`, id: i })) };
const SHORT = { id: 1 };

let server: Server;

beforeAll(async () => {
  const app = express();
  app.all('/list', (req, res) => sendJson(req, res, LIST));
  app.all('/short', (req, res) => sendJson(req, res, SHORT));
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The response as sent: `fetch` would decompress it. */
function send(method: string, path: string, encodings?: string) {
  const { port } = server.address() as AddressInfo;
  const headers = encodings === undefined ? {} : { 'accept-encoding': encodings };
  return new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ headers: response.headers, body });
    });
    sent.on('error', reject).end();
  });
}

it('compresses a long list for a client that accepts gzip', async () => {
  const { headers, body } = await send('GET', '/list', 'br, gzip');
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-encoding': 'gzip',
    vary: 'accept-encoding',
    'content-length': String(body.length),
  });
  expect(JSON.parse(gunzipSync(body).toString())).toEqual(LIST);
  expect(body.length).toBeLessThan(JSON.stringify(LIST).length / 4);
});

it.each([
  { name: 'a client that does not accept it', method: 'GET', path: '/list', encodings: undefined, sends: LIST },
  { name: 'a client that refuses it', method: 'GET', path: '/list', encodings: 'gzip;q=0', sends: LIST },
  { name: 'a short body', method: 'GET', path: '/short', encodings: 'gzip', sends: SHORT },
  {
    name: 'the response to a change, which may contain a key',
    method: 'POST',
    path: '/list',
    encodings: 'gzip',
    sends: LIST,
  },
])('does not compress for $name', async ({ method, path, encodings, sends }) => {
  const { headers, body } = await send(method, path, encodings);
  expect(headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(body.toString())).toEqual(sends);
});

it('a response that depends on the encoding says so, compressed or not', async () => {
  expect((await send('GET', '/list')).headers['vary']).toBe('accept-encoding');
});
