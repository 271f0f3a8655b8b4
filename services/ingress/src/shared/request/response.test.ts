import { createServer } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import { expect, it, onTestFinished } from 'vitest';
import { sendBody } from './response.ts';

it.each([
  ['a small body', 'Grüße, 世界, 🌍'],
  ['an empty body', ''],
  ['a large body', 'Grüße, 世界, 🌍'.repeat(10_000)],
])('sends the bytes of %s with their length', async (_, text) => {
  const server = createServer((_req, res) => sendBody(res, Buffer.from(text)));
  onTestFinished(() => void server.close());
  const port = await listen(server, '127.0.0.1', 0);
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(await response.text()).toBe(text);
});

it('sends every byte as it is', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const server = createServer((_req, res) => sendBody(res, bytes));
  onTestFinished(() => void server.close());
  const port = await listen(server, '127.0.0.1', 0);
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
});
