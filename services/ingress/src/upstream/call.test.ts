import { createServer, type Server } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BodySink, type ResponseSink, UpstreamClient } from './call.ts';
import type { UpstreamFailure } from './failure.ts';

const TIMEOUTS = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 30_000 };
const client = new UpstreamClient();
let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((_, response) => response.end('a response'));
  origin = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
});
afterAll(async () => {
  await client.close();
  await stopListening(server, { lingerMs: 0, graceMs: 0 });
});

/** The failure of a sink that throws in a callback. */
function failureOfSink(where: 'head' | 'data' | 'end'): Promise<UpstreamFailure> {
  const throwAt = (here: string) => {
    if (here === where) throw new RangeError('Maximum call stack size exceeded');
  };
  return new Promise((failed) => {
    const body: BodySink = { data: () => throwAt('data'), end: () => throwAt('end'), failed };
    const sink: ResponseSink = {
      head: () => {
        throwAt('head');
        return body;
      },
      failed,
    };
    const request = { origin, path: '/', headers: {}, body: Buffer.from('{}'), timeouts: TIMEOUTS, totalMs: 30_000 };
    client.call(request, sink);
  });
}

it.each(['head', 'data', 'end'] as const)('a sink that throws in %s gets a failure', async (where) => {
  const failure = await failureOfSink(where);
  expect(failure).toEqual({
    kind: 'malformed',
    detail: 'the response cannot be read: RangeError',
  });
});
