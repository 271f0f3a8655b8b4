import { expect, test } from 'vitest';
import { laterUsage, usageOf } from './usage.ts';

const FIRST = usageOf({ input: 5, cache_read: 40, output: 1 });

test.each([
  ['input and output replaces both', { input: 6, output: 9 }, { input: 6, output: 9 }],
  ['output alone leaves the input', { output: 9, reasoning: 3 }, { input: 5, cache_read: 40, output: 9, reasoning: 3 }],
  ['input alone leaves the output', { input: 6 }, { input: 6, output: 1 }],
])('a later report of %s', (_, later, total) => {
  expect(laterUsage(FIRST, usageOf(later))).toEqual(usageOf(total));
});
