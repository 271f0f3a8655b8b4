import { expect, test } from 'vitest';
import { readRange } from './range.ts';

const NOW = Date.parse('2026-11-23T12:00:30Z');

test('days of a preset are whole, and today is one of them', () => {
  const range = readRange({ range: '7d' }, '24h', NOW, 'utc');
  expect(range).toEqual({
    preset: '7d',
    start: '2026-11-17T00:00:00.000Z',
    end: '2026-11-23T12:01:00.000Z',
    label: 'Last 7 days',
    query: { range: '7d', time_zone: 'UTC' },
  });
});

test('hours of a preset end now', () => {
  const range = readRange({ range: '24h' }, '7d', NOW, 'utc');
  expect([range.start, range.end]).toEqual(['2026-11-22T12:01:00.000Z', '2026-11-23T12:01:00.000Z']);
});

test('a preset asks for the same a minute later', () => {
  const query = (now: number) => readRange({ range: '24h' }, '7d', now, 'utc').query;
  expect(query(NOW + 60_000)).toEqual(query(NOW));
});

test('chosen days win over a preset', () => {
  const range = readRange(
    { range: '7d', start: '2026-11-01T00:00:00Z', end: '2026-11-04T00:00:00Z' },
    '30d',
    NOW,
    'utc',
  );
  expect(range).toEqual({
    preset: null,
    start: '2026-11-01T00:00:00.000Z',
    end: '2026-11-04T00:00:00.000Z',
    label: '1 Nov 2026 – 3 Nov 2026',
    query: { start: '2026-11-01T00:00:00.000Z', end: '2026-11-04T00:00:00.000Z' },
  });
});

test('one day is named once, and parts of days have times', () => {
  const label = (start: string, end: string) => readRange({ start, end }, '7d', NOW, 'utc').label;
  expect(label('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z')).toBe('1 Nov 2026');
  expect(label('2026-11-01T10:00:00Z', '2026-11-01T11:30:00Z')).toBe('1 Nov, 10:00 – 1 Nov, 11:30');
});

test.each([
  { range: '9y' },
  { range: 'toString' },
  { start: 'yesterday', end: 'today' },
  { start: '2026-11-04T00:00:00Z', end: '2026-11-01T00:00:00Z' },
  { start: '2026-11-04T00:00:00Z' },
])('an unreadable range is the default: %o', (params) => {
  expect(readRange(params, '30d', NOW, 'utc').preset).toBe('30d');
});
