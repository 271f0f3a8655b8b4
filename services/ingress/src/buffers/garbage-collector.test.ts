import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GarbageCollector } from './garbage-collector.ts';

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('collects once after a burst, and not for a few bytes', () => {
  let collections = 0;
  const garbage = new GarbageCollector(() => {
    collections += 1;
  }, 1_000);
  garbage.released(31 * MIB);
  vi.advanceTimersByTime(5_000);
  expect(collections).toBe(0);
  for (let second = 0; second < 5; second++) {
    garbage.released(8 * MIB);
    vi.advanceTimersByTime(900);
  }
  expect(collections).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(collections).toBe(1);
  garbage.released(MIB);
  vi.advanceTimersByTime(5_000);
  expect(collections).toBe(1);
});

it('frees unreferenced memory', async () => {
  const garbage = new GarbageCollector(undefined, 1_000);
  const buffer = new WeakRef(Buffer.alloc(40 * MIB));
  // A weak reference keeps its target until the task that created it is over.
  await vi.advanceTimersByTimeAsync(0);
  garbage.released(40 * MIB);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(buffer.deref()).toBeUndefined();
});
