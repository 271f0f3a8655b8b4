import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { listen, stopListening } from '@tollgate/common/http-server';
import { afterEach, expect, it } from 'vitest';
import { LARGE_STREAM } from '../scenarios.ts';
import { SlowReaders } from './slow-readers.ts';

const RESPONSE_BYTES = 100_000_000;
const STOP = { lingerMs: 0, graceMs: 0 };
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function start(respond: (res: ServerResponse) => void): Promise<{ origin: string; keys: string[] }> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => respond(res));
  });
  const port = await listen(server, '127.0.0.1', 0);
  stops.push(() => stopListening(server, STOP));
  return { origin: `http://127.0.0.1:${port}`, keys: ['key'] };
}

it('takes only what fits into the buffers of the system, and so holds the sender back', async () => {
  let sent = 0;
  const part = Buffer.alloc(65_536, 'x');
  const route = await start((res) => {
    res.writeHead(200);
    const send = () => {
      while (sent < RESPONSE_BYTES && res.write(part)) sent += part.length;
    };
    res.on('drain', send);
    send();
  });
  const readers = new SlowReaders();
  const opened = await readers.open({ kind: 'read-slowly', route, spec: LARGE_STREAM, readers: 1 });
  expect(opened.failures).toBe(0);
  // Until nothing more is sent: at the end of the response if the reader takes all of it.
  for (let before = -1; before !== sent; await delay(300)) before = sent;
  expect(sent).toBeLessThan(RESPONSE_BYTES / 2);
  expect(await readers.stop({ kind: 'stop-reading', afterMs: 0 })).toMatchObject({ requests: 0 });
});

it('counts those that the sender has disconnected from', async () => {
  const route = await start((res) => {
    res.writeHead(200).flushHeaders();
    res.socket?.end();
  });
  const readers = new SlowReaders();
  await readers.open({ kind: 'read-slowly', route, spec: LARGE_STREAM, readers: 3 });
  expect(await readers.stop({ kind: 'stop-reading', afterMs: 10_000 })).toMatchObject({ requests: 3 });
});

it('reports a refusal with its reason', async () => {
  const route = await start((res) => res.writeHead(503).end('{"error":"no provider"}'));
  const readers = new SlowReaders();
  const opened = await readers.open({ kind: 'read-slowly', route, spec: LARGE_STREAM, readers: 1 });
  expect(opened.failures).toBe(1);
  expect(opened.firstFailure).toContain('no provider');
  await readers.stop({ kind: 'stop-reading', afterMs: 0 });
});
