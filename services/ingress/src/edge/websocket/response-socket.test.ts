import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { BufferBudget } from '../../shared/buffers/buffer-budget.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';
import { AccountShares } from './account-shares.ts';
import { KeptResponses } from './kept-responses.ts';
import { ResponseSocket, type SocketLimits } from './response-socket.ts';

const MINUTE_MS = 60_000;
const LIMITS = {
  maxMessageBytes: 1_000_000,
  idleMs: MINUTE_MS,
  lifeMs: MINUTE_MS,
  pingMs: MINUTE_MS,
  stallMs: MINUTE_MS,
};
const TOTAL_BYTES = 10_000;
const AMPLE_BYTES = 256 * 1024 * 1024;
const WAIT_MS = 300;
/** A path that is answered at once. */
const OTHER = '/other';
/** How much Node.js reads at once. */
const CHUNK_BYTES = 64 * 1024;
const KEY: AuthenticatedKey = { keyId: 'k', accountId: 'a' } as AuthenticatedKey;

let budget: BufferBudget;
let server: Server;
let client: WebSocket;
let socket: ResponseSocket;
let stream: Socket;
/** The server's side of the client. */
let accepted: WebSocket;
/** Of the requests of messages, each open until a test ends it. */
let responses: ServerResponse[];
/** What the client has received. */
let events: { status?: number; error?: { type: string; message: string } }[];

beforeEach(() => {
  responses = [];
  events = [];
  server = createServer({ requireHostHeader: false }, (req, res) => {
    if (req.url === OTHER) res.end();
    else responses.push(res);
  });
});

/** Connects a client to a socket whose messages wait for memory for so long. */
async function connect(waitMs: number, totalBytes = TOTAL_BYTES, limits: Partial<SocketLimits> = {}): Promise<void> {
  budget = new BufferBudget(totalBytes, { waitMs });
  const sockets = new WebSocketServer({ noServer: true, autoPong: false, allowSynchronousEvents: false });
  const opened = new Promise<ResponseSocket>((resolve) => {
    server.on('upgrade', (req, connection, head) => {
      stream = connection as Socket;
      sockets.handleUpgrade(req, stream, head, (ws) => {
        accepted = ws;
        const shares = new AccountShares(1_000, async () => true);
        const kept = new KeptResponses({ totalBytes: 1_000, responseBytes: 1_000, shares });
        const logger = createLogger('test', 'silent');
        const deps = { server, requestBuffers: budget, kept, logger, limits: { ...LIMITS, ...limits } };
        const origin = { target: '/v1/responses', rawHeaders: [], remoteAddress: undefined };
        const options = { ws, stream, origin, key: KEY, traceId: 't', traceUuid: 't' };
        resolve(new ResponseSocket(deps, options, () => undefined));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/responses`);
  client.on('message', (data) => void events.push(JSON.parse(String(data))));
  await once(client, 'open');
  socket = await opened;
}

afterEach(() => {
  socket.terminate();
  client.terminate();
  server.close();
});

async function closed(): Promise<{ code: unknown; reason: string }> {
  const [code, reason]: unknown[] = await once(client, 'close');
  return { code, reason: String(reason) };
}

describe('a message that does not fit into memory', () => {
  const RETRY = { code: 1013, reason: 'There is no memory for the message at the moment. Retry shortly.' };

  it('closes the socket at once if it never can', async () => {
    await connect(MINUTE_MS);
    client.send('x'.repeat(TOTAL_BYTES / 2 + 1), { fin: false });
    expect(await closed()).toEqual(RETRY);
    await expect.poll(() => budget.usedBytes).toBe(0);
  });

  it('closes the socket after a while if others use the memory', async () => {
    await connect(WAIT_MS);
    const others = ['b', 'c'].map((accountId) => budget.open(accountId));
    for (const other of others) expect(other.tryGrow(TOTAL_BYTES / 2)).toBe(true);
    const startedAt = performance.now();
    client.send('x'.repeat(1_000), { fin: false });
    expect(await closed()).toEqual(RETRY);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(WAIT_MS - 10);
    for (const other of others) other.release();
    await expect.poll(() => budget.usedBytes).toBe(0);
  });

  it('is read once there is room', async () => {
    await connect(MINUTE_MS);
    const other = budget.open(KEY.accountId);
    expect(other.tryGrow(TOTAL_BYTES / 2)).toBe(true);
    client.send(' '.repeat(1_000), { fin: false });
    await expect.poll(() => client.bufferedAmount).toBe(0);
    other.release();
    client.send('{"type":"response.processed"}', { fin: true });
    const pong = once(client, 'pong');
    client.ping();
    await pong;
    expect(client.readyState).toBe(WebSocket.OPEN);
    await expect.poll(() => budget.usedBytes).toBe(0);
  });
});

describe('a socket', () => {
  const HOUR_MS = 60 * MINUTE_MS;

  it('gets pings while it is idle, and is closed after a while', async () => {
    await connect(MINUTE_MS, TOTAL_BYTES, { idleMs: 3 * MINUTE_MS, lifeMs: HOUR_MS });
    const now = performance.now();
    const pong = once(accepted, 'pong');
    socket.check(now + 2 * MINUTE_MS);
    await pong;
    expect(client.readyState).toBe(WebSocket.OPEN);
    const end = closed();
    socket.check(now + 4 * MINUTE_MS);
    expect(await end).toEqual({ code: 1000, reason: expect.stringContaining('idle') });
  });

  it('is closed after its maximum duration, with an error that clients know', async () => {
    await connect(MINUTE_MS, TOTAL_BYTES, { idleMs: HOUR_MS, lifeMs: HOUR_MS, pingMs: 2 * HOUR_MS });
    const end = closed();
    socket.check(performance.now() + HOUR_MS + 1);
    expect(await end).toEqual({ code: 1000, reason: expect.stringContaining('maximum duration') });
    expect(events).toMatchObject([
      { status: 400, error: { type: 'invalid_request_error', code: 'websocket_connection_limit_reached' } },
    ]);
  });
});

describe('a client that does not wait for responses', () => {
  const TOO_MANY = { code: 1008, reason: 'Too many messages came at once. Wait for each response.' };
  const LIMIT_ERROR = { status: 429, error: { type: 'rate_limit_exceeded' } };
  const answer = (message: string) => {
    const open = responses.at(-1);
    open?.writeHead(400, { 'content-type': 'application/json' });
    open?.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: 400, details: null } }));
  };

  it('has its next message served after the running response, and is not read meanwhile', async () => {
    await connect(MINUTE_MS, AMPLE_BYTES);
    for (const number of [1, 2]) client.send(`{"number":${number}}`);
    await expect.poll(() => responses.length).toBe(1);
    await expect.poll(() => accepted.isPaused).toBe(true);
    const { bytesRead } = stream;
    // More than the system buffers for a connection.
    client.send(Buffer.alloc(32 * 1024 * 1024, ' '), { binary: false, fin: false });
    const { port } = server.address() as AddressInfo;
    for (let count = 0; count < 10; count += 1) await fetch(`http://127.0.0.1:${port}${OTHER}`);
    expect(stream.bytesRead).toBeLessThanOrEqual(bytesRead + CHUNK_BYTES);
    expect(responses).toHaveLength(1);
    answer('first');
    await expect.poll(() => responses.length).toBe(2);
    expect(events.map(({ error }) => error?.message)).toEqual(['first']);
    answer('second');
    await expect.poll(() => events.length).toBe(2);
    expect(events[1]?.error?.message).toBe('second');
  });

  it('is cut off if many messages arrive at once, and only the first is served', async () => {
    await connect(MINUTE_MS, AMPLE_BYTES);
    for (let count = 0; count < 100; count += 1) client.send('{}');
    expect(await closed()).toEqual(TOO_MANY);
    expect(responses).toHaveLength(1);
    expect(events).toMatchObject([LIMIT_ERROR]);
    await expect.poll(() => budget.usedBytes).toBe(0);
  });

  it.each<[string, () => void]>([
    ['acknowledgements', () => client.send('{"type":"response.processed"}')],
    ['pings', () => client.ping()],
    ['pongs', () => client.pong()],
  ])('is cut off if it sends too many %s', async (_, send) => {
    await connect(MINUTE_MS, AMPLE_BYTES);
    let pongs = 0;
    client.on('pong', () => {
      pongs += 1;
    });
    const end = closed();
    for (let count = 0; count < 2_000; count += 1) send();
    expect(await end).toEqual(TOO_MANY);
    expect(events).toMatchObject([LIMIT_ERROR]);
    expect(pongs).toBeLessThan(200);
    expect(responses).toEqual([]);
  });
});
