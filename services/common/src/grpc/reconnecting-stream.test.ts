import { Readable } from 'node:stream';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ReconnectingStream } from './reconnecting-stream.ts';

class FakeCall extends Readable {
  cancelled = false;

  constructor() {
    super({ read: () => undefined });
  }

  cancel(): void {
    this.cancelled = true;
  }
  getPeer(): string {
    return '';
  }
}

const MIN_MS = 100;
const MAX_MS = 400;

let calls: (FakeCall & ClientReadableStream<string>)[];
let received: string[];
let lost: string[];
let stream: ReconnectingStream<string, FakeCall & ClientReadableStream<string>>;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
  calls = [];
  received = [];
  lost = [];
  stream = new ReconnectingStream<string, FakeCall & ClientReadableStream<string>>({
    open: () => {
      const call = new FakeCall() as FakeCall & ClientReadableStream<string>;
      calls.push(call);
      return call;
    },
    received: (response) => received.push(response),
    lost: (reason) => lost.push(reason),
    minDelayMs: MIN_MS,
    maxDelayMs: MAX_MS,
  });
});
afterEach(() => {
  stream.stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('makes another call after delays that double up to a limit, and are short again after a reset', async () => {
  stream.start();
  stream.start();
  const waits: number[] = [];
  for (const [round] of Array.from({ length: 6 }).entries()) {
    if (round === 5) stream.reset();
    const before = calls.length;
    calls.at(-1)?.emit('error', new Error('gone'));
    let waited = 0;
    for (; calls.length === before; waited += 50) await vi.advanceTimersByTimeAsync(50);
    waits.push(waited);
  }
  expect(waits).toEqual([100, 200, 400, 400, 400, 100]);
  expect(lost).toEqual(Array(6).fill('gone'));
});

it('handles the call in use only', () => {
  stream.start();
  const [first] = calls;
  first?.emit('data', 'one');
  stream.restart('too slow');
  expect(first?.cancelled).toBe(true);
  first?.emit('data', 'late');
  first?.emit('error', new Error('cancelled'));
  expect([received, lost]).toEqual([['one'], ['too slow']]);
  expect(stream.call).toBeUndefined();
  vi.advanceTimersByTime(MIN_MS);
  calls[1]?.emit('data', 'two');
  calls[1]?.emit('end');
  expect([received, lost]).toEqual([
    ['one', 'two'],
    ['too slow', 'the server ended the stream'],
  ]);
});

it('leaves the call that it replaces, and the last one, to the caller', () => {
  stream.start();
  expect(stream.replace()).toBe(calls[0]);
  vi.advanceTimersByTime(MIN_MS);
  expect(stream.stop()).toBe(calls[1]);
  calls[1]?.emit('error', new Error('gone'));
  vi.advanceTimersByTime(MAX_MS * 10);
  expect(calls).toHaveLength(2);
  expect(calls.some(({ cancelled }) => cancelled)).toBe(false);
  expect(lost).toEqual([]);
});
