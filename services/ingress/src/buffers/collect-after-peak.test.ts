import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { collectAfterPeak } from './collect-after-peak.ts';

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How often it collects garbage while the buffered bytes change, each time for ten seconds. */
function collectionsAfter(...bufferedMib: number[]): number {
  const collect = vi.fn();
  const changed = collectAfterPeak(collect);
  for (const mib of bufferedMib) {
    changed(mib * MIB);
    vi.advanceTimersByTime(10_000);
  }
  return collect.mock.calls.length;
}

it.each([
  ['once after a peak, however long it is over', [10, 200, 150, 20, 10, 5, 0, 0], 1],
  ['after each peak', [200, 0, 100, 10, 0], 2],
  ['not while a peak lasts', [200, 120, 200, 60], 0],
  ['not after small ones', [20, 0, 30, 0], 0],
])('collects %s', (_, buffered, collections) => {
  expect(collectionsAfter(...buffered)).toBe(collections);
});

it('does not collect where the next peak has begun', () => {
  const collect = vi.fn();
  const changed = collectAfterPeak(collect);
  for (const mib of [200, 0, 200]) changed(mib * MIB);
  vi.advanceTimersByTime(10_000);
  expect(collect).not.toHaveBeenCalled();
  changed(0);
  vi.advanceTimersByTime(10_000);
  expect(collect).toHaveBeenCalledOnce();
});
