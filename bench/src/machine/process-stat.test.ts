import { describe, expect, it } from 'vitest';
import { parseProcessStat, ticksToMicroseconds } from './process-stat.ts';

const AFTER_NAME = 'S 41 7 7 0 -1 4194304 900 0 3 0 250 50 12 8 20 0 11 0 12345 1000000 2000 18446744073709551615';

describe('parseProcessStat', () => {
  it('parses the parent and the times', () => {
    expect(parseProcessStat(`42 (node) ${AFTER_NAME}\n`)).toEqual({
      parentPid: 41,
      ownTicks: 300,
      endedChildrenTicks: 20,
    });
  });

  it('is not misled by a name with spaces and brackets', () => {
    expect(parseProcessStat(`42 (a) b (1 2 3) ${AFTER_NAME}`).ownTicks).toBe(300);
  });

  it('rejects anything else', () => {
    expect(() => parseProcessStat('')).toThrow();
    expect(() => parseProcessStat('42 (node) S')).toThrow();
  });
});

it('a tick is 10 ms', () => {
  expect(ticksToMicroseconds(3)).toBe(30_000);
});
