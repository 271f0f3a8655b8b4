import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';

let gateway: Server;
let sockets: WebSocketServer;
let proxy: CountingProxy;

beforeEach(async () => {
  gateway = createServer((_, response) => response.end('done'));
  sockets = new WebSocketServer({ noServer: true });
  gateway.on('upgrade', (incoming, socket, head) => {
    if (incoming.headers.authorization === 'Bearer key') {
      sockets.handleUpgrade(incoming, socket, head, (accepted) => sockets.emit('connection', accepted));
    } else {
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 6\r\nx-request-id: r\r\n\r\nno key');
    }
  });
  const port = await listen(gateway, '127.0.0.1', 0);
  proxy = await startCountingProxy(`http://127.0.0.1:${port}`);
});
afterEach(async () => {
  await proxy.stop();
  for (const socket of sockets.clients) socket.terminate();
  await stopListening(gateway, { lingerMs: 0, graceMs: 0 });
});

/** Both ends of a socket through the proxy. */
async function connect(): Promise<{ client: WebSocket; accepted: WebSocket }> {
  const client = open('key');
  const [[accepted]] = (await Promise.all([once(sockets, 'connection'), once(client, 'open')])) as [[WebSocket], []];
  return { client, accepted };
}

function open(key: string): WebSocket {
  return new WebSocket(`${proxy.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

it('passes messages in both directions, and counts those that request a response', async () => {
  const { client, accepted } = await connect();
  accepted.on('message', (data, isBinary) => accepted.send(data as Buffer, { binary: isBinary }));
  const create = JSON.stringify({ type: 'response.create', input: 'Hello' });
  const others = [{ type: 'response.processed' }, { type: 'response.create', generate: false, input: 'Hello' }];
  for (const text of [create, ...others.map((message) => JSON.stringify(message)), create]) {
    client.send(text);
    const [echoed, isBinary] = (await once(client, 'message')) as [Buffer, boolean];
    expect({ text: String(echoed), isBinary }).toEqual({ text, isBinary: false });
  }
  await (await fetch(`${proxy.url}/v1/responses`, { method: 'POST', body: create })).text();
  await (await fetch(`${proxy.url}/v1/models`)).text();
  expect(proxy.requests.map(({ transport }) => transport)).toEqual(['websocket', 'websocket', 'http']);
  expect(new Set(proxy.requests.map(({ digest }) => digest)).size).toBe(1);
});

it.each(['client', 'gateway'])('closes both sides with the code of the %s', async (side) => {
  const { client, accepted } = await connect();
  const [from, to] = side === 'client' ? [client, accepted] : [accepted, client];
  const closed = once(to, 'close');
  from.close(4_001, 'enough');
  const [code, reason] = (await closed) as [number, Buffer];
  expect([code, String(reason)]).toEqual([4_001, 'enough']);
});

it('drops a side whose other side is lost', async () => {
  for (const side of ['client', 'accepted'] as const) {
    const pair = await connect();
    const closed = once(side === 'client' ? pair.accepted : pair.client, 'close');
    pair[side].terminate();
    expect((await closed)[0]).toBe(1006);
  }
});

it('passes a refused handshake back', async () => {
  const client = open('another');
  client.on('error', () => undefined);
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage];
  expect({ status: response.statusCode, id: response.headers['x-request-id'] }).toEqual({ status: 401, id: 'r' });
  expect(String(Buffer.concat(await response.toArray()))).toBe('no key');
});

it('ends its sockets when it stops', async () => {
  const { client, accepted } = await connect();
  const closed = Promise.all([once(client, 'close'), once(accepted, 'close')]);
  await proxy.stop();
  await closed;
});
