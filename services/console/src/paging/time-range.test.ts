import type { RangeQuery } from '@tollgate/proto/console/queries';
import { describe, expect, it } from 'vitest';
import { readPageQuery } from './cursor.ts';
import { daysOf, readRange } from './time-range.ts';

const START = '2026-11-01T00:00:00Z';
const startMs = msOf(START);

function msOf(time: string): bigint {
  return BigInt(Date.parse(time));
}

describe('range', () => {
  it.each([
    [START, START, 'end', 'must be after start'],
    [START, '2026-10-31T00:00:00Z', 'end', 'must be after start'],
    [START, '2026-12-02T00:00:00.001Z', 'start', 'must be at most 31 days before end'],
    ['1969-12-31T23:59:59Z', START, 'start', 'must not be before 1970'],
  ])('from %s to %s is refused, naming %s', (start, end, field, problem) => {
    expect(() => readRange({ startMs: msOf(start), endMs: msOf(end) }, 31)).toThrow(
      expect.objectContaining({ code: 'invalid_request', field, message: `${field}: ${problem}` }),
    );
  });
});

describe('recent range', () => {
  const NOW = Date.parse('2026-11-23T10:20:30Z');

  it('ends now and starts with a day of its zone', () => {
    expect(readRange({ range: '7d', timeZone: 'Asia/Kolkata' }, 31, NOW)).toEqual({
      startMs: BigInt(Date.parse('2026-11-16T18:30:00Z')),
      endMs: BigInt(NOW + 1),
    });
  });

  it.each<[RangeQuery, string]>([
    [{ range: '7d', startMs }, 'range'],
    [{ range: '90d' }, 'range'],
    [{}, 'start'],
    [{ startMs }, 'end'],
    [{ range: '7d', timeZone: 'Mars' }, 'time_zone'],
  ])('of %o is refused, naming %s', (query, field) => {
    expect(() => readRange(query, 31, NOW)).toThrow(expect.objectContaining({ code: 'invalid_request', field }));
  });

  it('is named by its first and its last day', () => {
    const range = readRange({ startMs, endMs: msOf('2026-11-04T00:00:00Z') }, 31);
    expect(daysOf(range)).toBe('2026-11-01-2026-11-03');
    expect(daysOf(range, 'America/New_York')).toBe('2026-10-31-2026-11-03');
  });
});

describe('cursor', () => {
  it('is an id in any case, or absent on the first page', () => {
    expect(readPageQuery({ cursor: '', limit: 5 })).toEqual({ after: '', limit: 5 });
    const id = '0190A0B0-0000-7000-8000-000000000000';
    expect(readPageQuery({ cursor: id, limit: 5 }).after).toBe(id.toLowerCase());
    expect(() => readPageQuery({ cursor: 'x', limit: 5 })).toThrow(expect.objectContaining({ field: 'cursor' }));
  });
});
