import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { collectAfterPeak } from './collect-after-peak.ts';

const MIB = 1024 * 1024;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Reports what is buffered to a function that takes changes. */
function reportTo(changed: (bytes: number) => void): (mib: number) => void {
  let buffered = 0;
  return (mib) => {
    changed((mib - buffered) * MIB);
    buffered = mib;
  };
}

/** How often it collects garbage while the buffered bytes change, each time for two minutes. */
function collectionsAfter(...bufferedMib: number[]): number {
  const collect = vi.fn();
  const buffers = reportTo(collectAfterPeak(collect));
  for (const mib of bufferedMib) {
    buffers(mib);
    vi.advanceTimersByTime(120_000);
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
  const buffers = reportTo(collectAfterPeak(collect));
  for (const mib of [200, 0, 200]) buffers(mib);
  vi.advanceTimersByTime(10_000);
  expect(collect).not.toHaveBeenCalled();
  buffers(0);
  vi.advanceTimersByTime(10_000);
  expect(collect).toHaveBeenCalledOnce();
});

it('collects at most once a minute while large bodies keep coming in bursts', () => {
  const collect = vi.fn();
  const buffers = reportTo(collectAfterPeak(collect));
  for (let second = 0; second < 120; second += 5) {
    buffers(200);
    buffers(0);
    vi.advanceTimersByTime(5_000);
  }
  expect(collect).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(60_000);
  expect(collect, 'what the last burst left').toHaveBeenCalledTimes(3);
});
