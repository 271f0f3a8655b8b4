import { expect, test } from 'vitest';
import { clock, day, duration, endTime, exactTime, minute, relativeTime, shortDay } from './time.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

test.each([
  ['2026-11-23T11:59:55Z', 'just now'],
  ['2026-11-23T12:00:04Z', 'just now'],
  ['2026-11-23T11:59:18Z', '42 s ago'],
  ['2026-11-23T11:57:00Z', '3 min ago'],
  ['2026-11-23T09:30:00Z', '2 h ago'],
  ['2026-11-20T12:00:00Z', '3 d ago'],
  ['2026-11-25T13:00:00Z', 'in 2 d'],
  ['2026-10-01T12:00:00Z', '1 Oct 2026'],
])('%s is "%s"', (time, words) => {
  expect(relativeTime(time, NOW, 'utc')).toBe(words);
});

test('exact times name their zone', () => {
  expect(exactTime('2026-11-23T09:34:10Z', 'utc')).toBe('23 Nov 2026, 09:34:10 UTC');
});

test('ends at midnight name the last day', () => {
  expect(endTime('2027-02-01T00:00:00Z', 'utc')).toBe('end of 31 Jan 2027');
  expect(endTime('2027-02-01T00:00:00Z', 'local')).toBe('end of 31 Jan 2027 UTC');
  expect(endTime('2027-02-01T09:34:10Z', 'utc')).toBe('1 Feb 2027, 09:34');
});

test('months have three letters', () => {
  expect(day('2026-09-29T12:00:00Z', 'utc')).toBe('29 Sep 2026');
  expect(shortDay('2026-09-29T12:00:00Z', 'utc')).toBe('29 Sep');
  expect(minute('2026-09-29T12:05:00Z', 'utc')).toBe('29 Sep, 12:05');
});

test('times of a request have milliseconds', () => {
  expect(clock('2026-11-23T09:34:10.007Z', 'utc')).toBe('09:34:10.007');
});

test.each([
  [0, '0 ms'],
  [840.4, '840 ms'],
  [1_240, '1.24 s'],
  [12_449, '12.4 s'],
  [185_000, '3 min 5 s'],
  [120_000, '2 min'],
  [7_800_000, '2 h 10 min'],
  [356_400_000, '4 d 3 h'],
])('%d ms is "%s"', (ms, words) => {
  expect(duration(ms)).toBe(words);
});
