import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CollectionOptions, collectWhenIdle } from './garbage-collection.ts';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose collections free all but 40 MiB. */
function start(options: CollectionOptions = {}) {
  const state = { memory: 100 * MIB, busy: 0, collections: 0 };
  const stop = collectWhenIdle({
    memory: () => state.memory,
    utilization: () => state.busy,
    collect: () => {
      state.collections += 1;
      state.memory = 40 * MIB;
    },
    ...options,
  });
  return { state, stop };
}

it('collects after the start, and again only when memory has grown', () => {
  const { state, stop } = start();
  vi.advanceTimersByTime(MINUTE_MS);
  expect(state.collections).toBe(1);
  state.memory = 50 * MIB;
  vi.advanceTimersByTime(MINUTE_MS);
  expect(state.collections).toBe(1);
  state.memory = 60 * MIB;
  vi.advanceTimersByTime(MINUTE_MS);
  expect(state.collections).toBe(2);
  stop();
  state.memory = 200 * MIB;
  vi.advanceTimersByTime(MINUTE_MS);
  expect(state.collections).toBe(2);
});

it('leaves a busy process to V8 until it is idle', () => {
  const { state } = start();
  state.busy = 0.03;
  vi.advanceTimersByTime(10 * MINUTE_MS);
  expect(state.collections).toBe(0);
  state.busy = 0.01;
  vi.advanceTimersByTime(MINUTE_MS);
  expect(state.collections).toBe(1);
});

it('does not repeat collections that free nothing', () => {
  let collections = 0;
  start({
    memory: () => 500 * MIB,
    collect: () => {
      collections += 1;
    },
  });
  vi.advanceTimersByTime(10 * MINUTE_MS);
  expect(collections).toBe(1);
});
