import { expect, it } from 'vitest';
import { addUp } from '../../components/chart/amounts.ts';
import type { Zone } from '../../format/time.ts';
import { MEASURES } from './measure.ts';
import { BY_MODEL, bucketsOf, byKey, type Interval, type UsageRow, usageSeries } from './usage-series.ts';

const row = (start: string, model: string, cost: string): UsageRow => ({
  start,
  model,
  key_id: null,
  requests: 1,
  tokens: 10,
  cost,
});
const spendOf = (rows: UsageRow[], range: { start: string; end: string }, bar: Interval, zone: Zone) =>
  usageSeries(rows, { range, bar, zone }, BY_MODEL, MEASURES.spend);
const WEEK = { start: '2026-11-17T00:00:00Z', end: '2026-11-23T12:00:00Z' };

it('has a bar for every day, also those without spend', () => {
  const spend = spendOf([row('2026-11-18T00:00:00Z', 'a', '0.5')], WEEK, 'day', 'utc');
  expect(spend.starts.map((start) => new Date(start).toISOString().slice(8, 10))).toEqual([
    '17',
    '18',
    '19',
    '20',
    '21',
    '22',
    '23',
  ]);
  expect(spend.series).toMatchObject([{ name: 'a', amounts: [0n, 500_000_000n, 0n, 0n, 0n, 0n, 0n] }]);
});

it('orders models by spend, and adds up those beyond the fifth without losing a cent', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((model, index) =>
    row('2026-11-18T00:00:00Z', model, `0.00000000${index + 1}`),
  );
  const spend = spendOf(rows, WEEK, 'day', 'utc');
  expect(spend.series.map((series) => series.name)).toEqual(['f', 'e', 'd', 'c', 'Other models']);
  expect(addUp(spend.series.map(({ amounts }) => amounts[1] ?? 0n))).toBe(21n);
  expect(addUp(spend.series.flatMap(({ amounts }) => amounts))).toBe(21n);
});

it('shows tokens by key, with those of all other keys last, and tells keys of the same name apart', () => {
  const at = { start: '2026-11-18T00:00:00Z', model: null, requests: 1, cost: '1' };
  const rows = [
    { ...at, key_id: null, tokens: 1_000 },
    { ...at, key_id: '1', tokens: 5 },
    { ...at, key_id: '2', tokens: 7 },
    { ...at, key_id: '3', tokens: 9 },
  ];
  const keys = [
    { key_id: '1', name: 'ci', last_four: 'aaaa' },
    { key_id: '2', name: 'ci', last_four: 'bbbb' },
    { key_id: '3', name: 'laptop', last_four: 'cccc' },
  ];
  const { series } = usageSeries(rows, { range: WEEK, bar: 'day', zone: 'utc' }, byKey(keys), MEASURES.tokens);
  expect(series.map(({ name, amounts, values }) => [name, amounts[1], values[1]])).toEqual([
    ['laptop', 9n, 9],
    ['ci …bbbb', 7n, 7],
    ['ci …aaaa', 5n, 5],
    ['Other keys', 1_000n, 1_000],
  ]);
});

it('adds local days up from hours', () => {
  const zone = process.env['TZ'];
  process.env['TZ'] = 'America/New_York';
  try {
    // The day on which summer time ends has 25 hours.
    const range = { start: '2026-10-31T04:00:00Z', end: '2026-11-03T05:00:00Z' };
    expect(bucketsOf(range, 'local')).toEqual({ interval: 'hour', bar: 'day' });
    const spend = spendOf(
      [row('2026-11-01T03:00:00Z', 'a', '1'), row('2026-11-02T04:00:00Z', 'a', '2')],
      range,
      'day',
      'local',
    );
    expect(spend.starts.map((start) => new Date(start).toISOString())).toEqual([
      '2026-10-31T04:00:00.000Z',
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ]);
    expect(spend.series.map(({ amounts }) => amounts)).toEqual([[1_000_000_000n, 2_000_000_000n, 0n]]);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

it('divides ranges so that a chart has a readable number of bars', () => {
  const of = (start: string) => bucketsOf({ start, end: '2026-11-23T12:00:00Z' }, 'utc');
  expect(of('2026-11-22T12:00:00Z')).toEqual({ interval: 'hour', bar: 'hour' });
  expect(of('2026-11-17T00:00:00Z')).toEqual({ interval: 'day', bar: 'day' });
  expect(of('2026-08-25T00:00:00Z')).toEqual({ interval: 'day', bar: 'day' });
  expect(of('2025-11-24T00:00:00Z')).toEqual({ interval: 'month', bar: 'month' });
});
