import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { BufferBudget } from '../buffers/buffer-budget.ts';
import type { AuthenticatedKey } from '../http/request-context.ts';
import { KeptResponses } from './kept-responses.ts';
import { ResponseSocket } from './response-socket.ts';

const MINUTE_MS = 60_000;
const LIMITS = {
  maxMessageBytes: 1_000_000,
  idleMs: MINUTE_MS,
  lifeMs: MINUTE_MS,
  pingMs: MINUTE_MS,
  stallMs: MINUTE_MS,
};
const TOTAL_BYTES = 10_000;
const WAIT_MS = 300;
const KEY: AuthenticatedKey = { keyId: 'k', accountId: 'a' } as AuthenticatedKey;

let budget: BufferBudget;
let server: Server;
let client: WebSocket;
let socket: ResponseSocket;

beforeEach(() => {
  server = createServer();
});

/** Connects a client to a socket whose messages wait for memory for so long. */
async function connect(waitMs: number): Promise<void> {
  budget = new BufferBudget(TOTAL_BYTES, { waitMs });
  const sockets = new WebSocketServer({ noServer: true });
  const accepted = new Promise<ResponseSocket>((resolve) => {
    server.on('upgrade', (req, stream, head) => {
      sockets.handleUpgrade(req, stream, head, (ws) => {
        const kept = new KeptResponses({ totalBytes: 1_000, responseBytes: 1_000 });
        const deps = { server, requestBuffers: budget, kept, logger: createLogger('test', 'silent'), limits: LIMITS };
        const origin = { target: '/v1/responses', rawHeaders: [], remoteAddress: undefined };
        const options = { ws, stream: stream as Socket, origin, key: KEY, traceId: 't', traceUuid: 't' };
        resolve(new ResponseSocket(deps, options, () => undefined));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/v1/responses`);
  await once(client, 'open');
  socket = await accepted;
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
