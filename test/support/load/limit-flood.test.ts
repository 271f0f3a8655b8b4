import { expect, it } from 'vitest';
import { emptiedAt, type Judged, leastWithin, longestPause, mostAtOnce, mostWithin } from './limit-flood.ts';

function at(sentAtMs: number, heardAtMs: number, amount = 1, status = 200): Judged {
  return { sentAtMs, heardAtMs, amount, status };
}

it('counts towards the maximum of a window what was certainly within it', () => {
  const accepted = [at(0, 1, 5), at(10, 11), at(19, 25), at(30, 31)];
  expect(mostWithin(accepted, 20)).toBe(6);
  expect(mostWithin(accepted, 10)).toBe(5);
  expect(mostWithin([], 10)).toBe(0);
});

it('counts towards the minimum of a complete window what may have been within it', () => {
  const accepted = [at(0, 1), at(9, 10), at(11, 30), at(40, 41)];
  expect(leastWithin(accepted, 10, 0, 50)).toBe(1);
  expect(leastWithin(accepted, 9, 0, 50)).toBe(0);
  expect(leastWithin(accepted, 9, 0, 39)).toBe(1);
  expect(leastWithin(accepted, 8, 30.5, 39.9)).toBe(0);
  expect(leastWithin(accepted, 60, 0, 50)).toBe(Number.POSITIVE_INFINITY);
});

it('finds the first rejection, the maximum in progress, and the longest pause', () => {
  const judged = [at(0, 10), at(1, 5, 0, 429), at(2, 4, 0, 429), at(6, 7)];
  expect(emptiedAt(judged)).toBe(4);
  expect(mostAtOnce(judged)).toBe(3);
  expect(longestPause(judged)).toBe(3);
});
