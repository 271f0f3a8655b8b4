import { expect, it } from 'vitest';
import { addMoney } from '../../format/money.ts';
import { bucketsOf, OTHERS, spendOf, type UsageRow } from './spend.ts';

const row = (start: string, model: string, cost: string): UsageRow => ({
  start,
  model,
  key_id: null,
  requests: 1,
  tokens: 10,
  cost,
});
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
  expect(spend.totals).toEqual(['0.00', '0.50', '0.00', '0.00', '0.00', '0.00', '0.00']);
});

it('orders models by spend, and adds up those beyond the fifth without losing a cent', () => {
  const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((model, index) =>
    row('2026-11-18T00:00:00Z', model, `0.00000000${index + 1}`),
  );
  const spend = spendOf(rows, WEEK, 'day', 'utc');
  expect(spend.series.map((series) => series.name)).toEqual(['f', 'e', 'd', 'c', OTHERS]);
  expect(addMoney(...spend.series.flatMap((series) => series.amounts))).toBe('0.000000021');
  expect(spend.totals[1]).toBe('0.000000021');
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
    expect(spend.totals).toEqual(['1.00', '2.00', '0.00']);
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
