import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type BodySink, type ResponseSink, type UpstreamCall, UpstreamClient } from './call.ts';
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
    post(sink);
  });
}

it.each(['head', 'data', 'end'] as const)('a sink that throws in %s gets a failure', async (where) => {
  const failure = await failureOfSink(where);
  expect(failure).toEqual({
    kind: 'malformed',
    detail: 'the response cannot be read: RangeError',
  });
});

/** A sink that records the callbacks. */
function recordingSink(onHead: () => void = () => undefined): {
  calls: string[];
  sink: ResponseSink;
  ended: Promise<void>;
} {
  const calls: string[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const last = (name: string) => {
    calls.push(name);
    resolve();
  };
  const failed = (failure: UpstreamFailure) => last(`failed: ${failure.kind}`);
  const body: BodySink = { data: (chunk) => void calls.push(chunk.toString()), end: () => last('end'), failed };
  const head = (status: number) => {
    calls.push(String(status));
    onHead();
    return body;
  };
  return { calls, sink: { head, failed }, ended };
}

function post(sink: ResponseSink, to = origin): UpstreamCall {
  const request = { origin: to, path: '/', headers: {}, body: Buffer.from('{}'), timeouts: TIMEOUTS, totalMs: 30_000 };
  return client.call(request, sink);
}

/** Serves responses until the test ends, and resolves to the origin. */
async function serve(respond: RequestListener): Promise<string> {
  const temporary = createServer(respond);
  onTestFinished(() => stopListening(temporary, { lingerMs: 0, graceMs: 0 }));
  return `http://127.0.0.1:${await listen(temporary, '127.0.0.1', 0)}`;
}

it('a call that is aborted once its response has been received delivers nothing', async () => {
  const aborted = recordingSink(() => process.nextTick(() => call.abort()));
  const call = post(aborted.sink);
  await vi.waitFor(() => expect(aborted.calls).toEqual(['200']));
  const next = recordingSink();
  post(next.sink);
  await next.ended;
  expect(next.calls).toEqual(['200', 'a response', 'end']);
  expect(aborted.calls).toEqual(['200']);
});

it('parts that are received together are delivered as one', async () => {
  const to = await serve((_, response) => {
    for (const part of ['one ', 'two ', 'three']) response.write(part);
    response.end();
  });
  const { calls, sink, ended } = recordingSink();
  post(sink, to);
  await ended;
  expect(calls).toEqual(['200', 'one two three', 'end']);
});

it('what was received before a part that cannot be parsed is delivered before the failure', async () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const breaking = await serve(({ socket }) => socket.end(`${head}d\r\nthe beginning\r\nnot a size\r\n`));
  const { calls, sink, ended } = recordingSink();
  post(sink, breaking);
  await ended;
  expect(calls).toEqual(['200', 'the beginning', 'failed: reset']);
});

it('a sink that pauses at a large part gets little more before it resumes', async () => {
  const size = 16 * 1024 * 1024;
  const large = await serve((_, response) => response.end(Buffer.alloc(size)));
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const failed = (failure: UpstreamFailure) => reject(new Error(failure.kind));
  let delivered = 0;
  let isPaused = false;
  let largest = 0;
  let sincePause = 0;
  const data = (chunk: Buffer) => {
    delivered += chunk.length;
    sincePause += chunk.length;
    largest = Math.max(largest, sincePause);
    if (isPaused) return;
    isPaused = true;
    call.pause();
    setTimeout(() => {
      isPaused = false;
      sincePause = 0;
      call.resume();
    }, 1);
  };
  const call = post({ head: () => ({ data, end: resolve, failed }), failed }, large);
  await ended;
  expect(delivered).toBe(size);
  expect(largest).toBeLessThanOrEqual(256 * 1024);
});

it('calls that are all open at once do not wait for each other', async () => {
  const count = 2_100;
  const { promise: allArrived, resolve } = Promise.withResolvers<void>();
  const open: ServerResponse[] = [];
  const holding = await serve((_, response) => {
    if (open.push(response) === count) resolve();
  });
  const sinks = Array.from({ length: count }, () => recordingSink());
  for (const { sink } of sinks) post(sink, holding);
  await allArrived;
  for (const response of open) response.end();
  await Promise.all(sinks.map(({ ended }) => ended));
  for (const { calls } of sinks) expect(calls).toEqual(['200', 'end']);
});
