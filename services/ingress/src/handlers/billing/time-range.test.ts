import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../testing/error-message.ts';
import { parseTimeRange, RANGES } from './time-range.ts';

const DAY_MS = 86_400_000;
const START = '2026-01-01T00:00:00Z';
const START_MS = Date.parse(START);

describe('parseTimeRange', () => {
  it.each([
    ['2026-01-01T01:00:00+01:00', START_MS],
    ['2025-12-31T19:00:00.5-05:00', START_MS + 500],
    ['2026-01-01t00:00:00.0009z', START_MS],
    ['2026-01-01 00:00:00Z', START_MS],
    ['1767225600', START_MS],
    ['1767225600.001', START_MS + 1],
    // As Python prints time.time(); digits beyond the millisecond are dropped.
    ['1767225600.1239999', START_MS + 123],
    ['0', 0],
    ['253402300000', 253_402_300_000_000],
  ])('reads %s', (text, ms) => {
    expect(parseTimeRange({ start: text, end: '253402300799' }, { days: 4_000_000, what: 'tests' }).startMs).toBe(
      BigInt(ms),
    );
  });

  it.each([
    [RANGES.records, 31, 'records'],
    [RANGES.hourlySums, 31, 'hourly sums'],
    [RANGES.sums, 366, 'daily or monthly sums'],
    [RANGES.deposits, 366, 'deposits'],
  ])('accepts exactly the longest range and not a millisecond more: %j', (limit, days, what) => {
    const end = (ms: number) => new Date(START_MS + days * DAY_MS + ms).toISOString();
    expect(messageOf(() => parseTimeRange({ start: START, end: end(0) }, limit))).toBe('accepted');
    expect(messageOf(() => parseTimeRange({ start: START, end: end(1) }, limit))).toBe(
      `400 The range from start to end is longer than the ${days} days that one call for ${what} may cover.`,
    );
  });

  it.each([
    [{ end: START }, /start is missing; give RFC 3339/],
    [{ start: START }, /end is missing; give RFC 3339/],
    [{ start: '2026-01-01T00:00:00', end: START }, /start is not a time; give RFC 3339 with an offset/],
    [{ start: '2026-01-01', end: START }, /start is not a time/],
    [{ start: START, end: 'tomorrow' }, /end is not a time/],
    [{ start: '2026-13-01T00:00:00Z', end: START }, /start is not a time/],
    [{ start: '2026-02-30T00:00:00Z', end: START }, /start is not a time/],
    [{ start: '2026-01-01T24:00:00Z', end: START }, /start is not a time/],
    [{ start: '2026-01-01T00:00:00+25:00', end: START }, /start is not a time/],
    [{ start: '1.7e9', end: START }, /start is not a time/],
    [{ start: '-5', end: START }, /start is not a time/],
    [{ start: ' 1767225600', end: START }, /start is not a time/],
    [{ start: '2026-01-01T00:00:00 01:00', end: START }, /start has a space before its offset; encode \+ as %2B/],
    [{ start: '1767225600000', end: START }, /start must be from 1970 to 9999\. Unix times are in seconds/],
    [{ start: '0001-01-01T00:00:00Z', end: START }, /start must be from 1970 to 9999\.$/],
    [{ start: '2026-01-02T00:00:00Z', end: START }, /end must be later than start/],
    [{ start: START, end: START }, /end must be later than start/],
    [{ start: ['1', '2'], end: '3' }, /start is given more than once/],
    [{ start: '', end: START }, /start is empty/],
  ])('refuses %j', (query, message) => {
    expect(messageOf(() => parseTimeRange(query, RANGES.records))).toMatch(message);
  });
});
