import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from '@tollgate/common/http-server';
import { afterEach, expect, it } from 'vitest';
import { createHttpServer } from './http-server.ts';

/** Shorter than Node's own interval of 30 s. */
const LATE_MS = 20_000;

let server: Server;
let port: number;
let refused: number;
const unreadable: number[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

const DONE: RequestListener = (req, res) => void req.on('end', () => res.end('done')).resume();

async function start(maxConnections = 100, app = DONE): Promise<void> {
  refused = 0;
  unreadable.length = 0;
  server = createHttpServer(app, {
    maxConnections,
    onRefusedConnection: () => {
      refused += 1;
    },
    onUnreadable: (_, { status }) => void unreadable.push(status),
    times: { headMs: 300, requestMs: 900, idleMs: 300, stallMs: 300, checkMs: 100 },
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
])('%s is closed after its time limit', async (_, bytes, status) => {
  await start();
  const response = await Promise.race([text(await open(bytes)), late()]);
  expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  if (status === 408)
    expect(response).toMatch(/\r\nx-trace-id: [0-9a-f-]{36}\r\n[\s\S]*"type":"invalid_request_error"/);
});

it('reports a request whose body cannot be read, not one that never got that far', async () => {
  await start();
  await text(await open('GET / HTTP/1.1\r\nhost: x\r\n'));
  expect(unreadable).toEqual([]);
  await text(await open('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc'));
  expect(unreadable).toEqual([408]);
  await text(await open('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'));
  expect(unreadable).toEqual([408, 400]);
});

it('closes a connection whose client never closes its side', async () => {
  await start();
  const socket = await open('NOISE\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  const count = () => new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
  await expect.poll(count).toBe(0);
});

it('closes connections beyond the maximum without a response, and accepts new ones when others have closed', async () => {
  await start(2);
  const held = [await open('GET / HTTP'), await open('GET / HTTP')];
  // The connection may be reset as soon as it is made.
  const ask = async () => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    return text(socket).catch(() => '');
  };
  expect(await ask()).toBe('');
  expect(refused).toBe(1);
  held[0]?.destroy();
  await expect.poll(ask).toMatch(/^HTTP\/1\.1 200 /);
});

it.each([
  ['first', ''],
  ['second', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
])(
  'closes the connection of a client that stops reading its %s response if it is long, not of one that waits for it',
  async (_, before) => {
    const responses: ServerResponse[] = [];
    await start(100, (req, res) => {
      if (req.url === '/') res.end('done');
      else responses.push(res);
      if (req.url === '/stalled') res.end(Buffer.alloc(64 * 1024 * 1024));
    });
    const ask = async (path: string) => {
      const socket = await open(before);
      if (before !== '') await once(socket, 'data');
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      return socket;
    };
    await ask('/waiting');
    await expect.poll(() => responses.length).toBe(1);
    const stalled = await ask('/stalled');
    stalled.pause();
    await expect.poll(() => responses.map((res) => [res.req.url, res.destroyed])).toContainEqual(['/stalled', true]);
    expect(responses[0]?.destroyed).toBe(false);
  },
);
