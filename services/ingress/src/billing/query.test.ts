import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors/api-error.ts';
import { oneOf, someOf, timeRange, uuid, wholeNumber } from './query.ts';

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('timeRange', () => {
  it('reads RFC 3339 with an offset and Unix seconds', () => {
    const range = timeRange({ start: '2026-01-01T01:00:00+01:00', end: '1767225601.5' }, 31);
    expect(range).toEqual({ startMs: 1_767_225_600_000n, endMs: 1_767_225_601_500n });
  });

  it('accepts exactly the longest range and not a millisecond more', () => {
    const start = '2026-01-01T00:00:00Z';
    expect(messageOf(() => timeRange({ start, end: '2026-02-01T00:00:00Z' }, 31))).toBe('accepted');
    expect(messageOf(() => timeRange({ start, end: '2026-02-01T00:00:00.001Z' }, 31))).toMatch(/^400 .*31 days/);
  });

  it.each([
    [{ end: '2026-01-01T00:00:00Z' }, /start is missing/],
    [{ start: '2026-01-01T00:00:00Z' }, /end is missing/],
    [{ start: '2026-01-01T00:00:00', end: '2026-01-02T00:00:00Z' }, /start is not a time/],
    [{ start: '2026-01-01T00:00:00Z', end: 'tomorrow' }, /end is not a time/],
    [{ start: '2026-13-01T00:00:00Z', end: '2026-01-02T00:00:00Z' }, /start is not a time/],
    [{ start: '2026-02-30T00:00:00Z', end: '2026-03-05T00:00:00Z' }, /start is not a time/],
    [{ start: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' }, /end must be later than start/],
    [{ start: '2026-01-01T00:00:00Z', end: '2026-01-01T00:00:00Z' }, /end must be later than start/],
    [{ start: ['1', '2'], end: '3' }, /start is given more than once/],
  ])('refuses %j', (query, message) => {
    expect(messageOf(() => timeRange(query, 31))).toMatch(message);
  });
});

describe('other parameters', () => {
  it('bounds whole numbers', () => {
    expect(wholeNumber({}, 'limit', 1, 1_000, 100)).toBe(100);
    expect(wholeNumber({ limit: '1000' }, 'limit', 1, 1_000, 100)).toBe(1_000);
    for (const limit of ['0', '1001', '-1', '1.5', 'x']) {
      expect(messageOf(() => wholeNumber({ limit }, 'limit', 1, 1_000, 100))).toMatch(
        /limit must be a whole number from 1 to 1000/,
      );
    }
  });

  it('takes words of a closed list only', () => {
    expect(oneOf({ status: 'failed' }, 'status', ['failed'])).toBe('failed');
    expect(messageOf(() => oneOf({ status: 'nope' }, 'status', ['failed', 'completed']))).toMatch(
      /status must be one of failed, completed/,
    );
    expect([...someOf({ group_by: 'model,key' }, 'group_by', ['model', 'key'])]).toEqual(['model', 'key']);
    expect(messageOf(() => someOf({ group_by: 'model,day' }, 'group_by', ['model', 'key']))).toMatch(
      /group_by may hold model, key/,
    );
  });

  it('takes UUIDs in any case', () => {
    expect(uuid('0190A0B0-0000-7000-8000-000000000000', 'request_id')).toBe('0190a0b0-0000-7000-8000-000000000000');
    expect(messageOf(() => uuid('0190a0b0', 'request_id'))).toMatch(/request_id is not a UUID/);
  });
});
