import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Opening } from './stream-timers.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const CREATED = Buffer.from('created');
const IN_PROGRESS = Buffer.from('in progress');

function heldOpening() {
  const onTimeout = vi.fn<() => void>();
  const opening = new Opening(onTimeout);
  opening.hold(CREATED);
  opening.hold(undefined);
  opening.hold(IN_PROGRESS);
  return { opening, onTimeout };
}

it('is taken once, when the response has content', () => {
  const { opening, onTimeout } = heldOpening();
  expect(opening.take()).toEqual([CREATED, IN_PROGRESS]);
  expect(opening.take()).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(onTimeout).not.toHaveBeenCalled();
});

it('is reported once after a moment without content', () => {
  const { opening, onTimeout } = heldOpening();
  vi.advanceTimersByTime(60_000);
  expect(onTimeout).toHaveBeenCalledTimes(1);
  expect(opening.take()).toEqual([CREATED, IN_PROGRESS]);
});

it('is dropped with a response that has failed', () => {
  const { opening, onTimeout } = heldOpening();
  opening.end();
  vi.advanceTimersByTime(60_000);
  expect(onTimeout).not.toHaveBeenCalled();
});
