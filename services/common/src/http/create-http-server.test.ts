import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from '../http-server.ts';
import { type ConnectionTimes, createHttpServer } from './create-http-server.ts';
import { problemOfHead } from './unreadable.ts';

/** Shorter than Node's own interval of 30 s. */
const LATE_MS = 20_000;
const SHORT = { headMs: 300, requestMs: 900, idleMs: 300, stallMs: 300, checkMs: 100 };

let server: Server;
let port: number;
let excess: number;
const unreadable: number[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

const DONE: RequestListener = (req, res) => void req.on('end', () => res.end('done')).resume();

async function start(maxConnections = 100, app = DONE, times: Partial<ConnectionTimes> = SHORT): Promise<void> {
  excess = 0;
  unreadable.length = 0;
  server = createHttpServer(app, {
    maxConnections,
    onExcess: () => {
      excess += 1;
    },
    renderUnreadable: ({ message }) => ({ headers: { 'x-own': 'yes' }, body: JSON.stringify({ message }) }),
    onUnreadable: (_, { status }) => void unreadable.push(status),
    times,
  });
  port = await listen(server, '127.0.0.1', 0);
}

/** @param address of the client */
async function open(bytes: string, address = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress: address, allowHalfOpen: true });
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
    expect(response).toMatch(/\r\nx-own: yes\r\n[\s\S]*{"message":"The complete request was not received in time."}$/);
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

describe('too many connections', () => {
  const HALF = 'GET / HTTP/1.1\r\nhost: x\r\n';
  const WHOLE = `${HALF}\r\n`;
  /** Requests whose responses are not sent. */
  let running: ServerResponse[];
  const app: RequestListener = (req, res) => {
    if (req.url === '/run') running.push(res);
    else res.end('done');
  };
  /** After a twentieth of it, a head is slow. */
  const HEAD_MS = 10_000;
  const startFor = (maxConnections: number) => {
    running = [];
    return start(maxConnections, app, { headMs: HEAD_MS });
  };
  const pastSlow = () => {
    const started = performance.now();
    return expect.poll(() => performance.now() - started).toBeGreaterThan(HEAD_MS / 20);
  };
  const run = async (address?: string) => {
    const before = running.length;
    const socket = await open(WHOLE.replace('/', '/run'), address);
    await expect.poll(() => running.length).toBe(before + 1);
    return socket;
  };
  /** A connection that has had a response and is open. */
  const idle = async (address?: string) => {
    const socket = await open(WHOLE, address);
    await once(socket, 'data');
    return socket;
  };
  /** Whether the server has closed a connection. */
  const isClosed = (socket: Socket) => socket.readableEnded || socket.destroyed;
  const isOpen = async (socket: Socket) => {
    socket.write(WHOLE);
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'end').then(() => false)]);
  };
  const watched = (each: Socket[]) => each.map((socket) => socket.resume());

  it('whose first head is unfinished: a network has a quarter of all, and its oldest go', async () => {
    await startFor(12);
    const [kept, stranger] = [await idle(), await open(HALF, '127.0.0.2')];
    const halves: Socket[] = [];
    for (let count = 0; count < 20; count += 1) halves.push(await open(HALF));
    watched(halves);
    await expect.poll(() => halves.map(isClosed).lastIndexOf(true)).toBe(16);
    expect(excess).toBe(17);
    expect(halves.map(isClosed)).toEqual(halves.map((_, index) => index < 17));
    for (const socket of [...halves.slice(17), stranger]) socket.write('\r\n');
    await Promise.all([...halves.slice(17), stranger].map((socket) => once(socket, 'data')));
    expect(await isOpen(kept)).toBe(true);
  });

  it('of many networks: slow heads go first, then what has been idle longest, never a running request', async () => {
    await startFor(5);
    const [one, two] = [await idle('127.0.0.9'), await idle('127.0.0.8')];
    const slow = await open(HALF, '127.0.0.7');
    const busy = await run('127.0.0.6');
    await pastSlow();
    watched([one, two, slow, busy]);
    const next = [await run('127.0.0.5')];
    await expect.poll(() => [slow, one, two].map(isClosed)).toEqual([true, false, false]);
    next.push(await run('127.0.0.4'));
    await expect.poll(() => [one, two].map(isClosed)).toEqual([true, false]);
    next.push(await run('127.0.0.3'));
    await expect.poll(() => isClosed(two)).toBe(true);
    for (const res of running) res.end('done');
    await Promise.all([busy, ...next].map((socket) => expect.poll(() => socket.bytesRead).toBeGreaterThan(0)));
    expect(excess).toBe(3);
  });

  it('with incomplete bodies: the one that has been incomplete longest goes', async () => {
    await startFor(3);
    const bodies: Socket[] = [];
    for (const count of [1, 2, 3]) {
      bodies.push(await open('POST /run HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc'));
      await expect.poll(() => running.length).toBe(count);
      if (count === 2) await pastSlow();
    }
    watched(bodies);
    await expect.poll(() => bodies.map(isClosed)).toEqual([true, false, false]);
    expect(
      (await text(await open(WHOLE.replace('host', 'connection: close\r\nhost')))).startsWith('HTTP/1.1 200'),
    ).toBe(true);
    await expect.poll(() => bodies.map(isClosed)).toEqual([true, true, false]);
  });

  it('with running requests: further ones are closed without a response until others have closed', async () => {
    await startFor(2);
    const [first] = [await run(), await run()];
    // The connection may be reset as soon as it is made.
    const ask = async () => {
      const socket = connect({ host: '127.0.0.1', port });
      socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      return text(socket).catch(() => '');
    };
    expect(await ask()).toBe('');
    expect(excess).toBe(1);
    first?.destroy();
    await expect.poll(ask).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('what Node.js would reject without a body', () => {
  it.each([
    ['no HTTP', 'NOISE\r\n\r\n', 400],
    ['an invalid target', 'GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['headers too large', `GET / HTTP/1.1\r\nhost: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
  ])('%s gets an error in the shape of the service', async (_, bytes, status) => {
    await start();
    const response = await text(await open(bytes));
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*x-own: yes[\\s\\S]*{"message":"[^"]+"}$`));
  });

  it.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['several hosts', 'GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n', 400],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n', 417],
    ['nothing wrong', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-Continue\r\n\r\n', undefined],
  ])('%s is left to the application', async (_, bytes, status) => {
    await start(100, (req, res) => res.writeHead(200, { connection: 'close' }).end(`${problemOfHead(req)?.status}`));
    expect(await text(await open(bytes))).toMatch(new RegExp(`${status}\r\n0\r\n\r\n$`));
  });
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
