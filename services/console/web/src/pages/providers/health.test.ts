import { expect, test } from 'vitest';
import { errorRate, failuresOf } from './health.ts';

const counts = { successes: 0, failures: 0, timeouts: 0, rate_limited: 0, credentials_refused: 0 };

test('all kinds of failures count', () => {
  expect(failuresOf({ ...counts, failures: 1, timeouts: 2, rate_limited: 3, credentials_refused: 4 })).toBe(10);
});

test.each([
  [{}, '–'],
  [{ successes: 10 }, '0%'],
  [{ successes: 99, timeouts: 1 }, '1.0%'],
  [{ successes: 99_999, failures: 1 }, '<0.1%'],
  [{ failures: 3 }, '100.0%'],
])('the error rate of %o is %s', (given, rate) => {
  expect(errorRate({ ...counts, ...given })).toBe(rate);
});
