import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from '@tollgate/common/http-server';
import { afterEach, expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';

/** Long enough that Node's own interval of 30 s would show. */
const LATE_MS = 20_000;

let server: Server;
let port: number;
let refused: number;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function start(maxConnections = 100): Promise<void> {
  refused = 0;
  server = createHttpServer((req, res) => req.on('end', () => res.end('done')).resume(), {
    maxConnections,
    onRefusedConnection: () => {
      refused += 1;
    },
    times: { headMs: 300, requestMs: 900, idleMs: 300, checkMs: 100 },
  });
  port = await listen(server, '127.0.0.1', 0);
}

async function open(bytes: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const late = () => new Promise((resolve) => setTimeout(resolve, LATE_MS, 'late').unref());

it.each([
  ['an empty connection', '', 408],
  ['a head that stops', 'GET / HTTP/1.1\r\nhost: x\r\n', 408],
  ['a body that stops', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc', 408],
  ['an idle connection', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', 200],
])('%s is ended when its time is over', async (_, bytes, status) => {
  await start();
  const answer = await Promise.race([text(await open(bytes)), late()]);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  if (status === 408) expect(answer).toMatch(/\r\nx-trace-id: [0-9a-f-]{36}\r\n[\s\S]*"type":"invalid_request_error"/);
});

it('cuts a client that never closes its side of a connection that was ended', async () => {
  await start();
  const socket = await open('NOISE\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  const count = () => new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
  await expect.poll(count).toBe(0);
});

it('closes connections beyond the bound unanswered, and takes new ones when there is room', async () => {
  await start(2);
  const held = [await open('GET / HTTP'), await open('GET / HTTP')];
  expect(await text(await open('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'))).toBe('');
  expect(refused).toBe(1);
  held[0]?.destroy();
  await expect
    .poll(async () => text(await open('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')))
    .toMatch(/^HTTP\/1\.1 200 /);
});
