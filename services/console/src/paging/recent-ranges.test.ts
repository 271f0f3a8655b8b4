import { expect, it } from 'vitest';
import { dayOf, isTimeZone, recentStart, startOfDay } from './recent-ranges.ts';

const NOW = Date.parse('2026-11-23T10:20:30Z');
const start = (...given: Parameters<typeof recentStart>) => new Date(recentStart(...given)).toISOString();

it('ranges of several days start with a day of the zone', () => {
  expect(start('7d', NOW, 'UTC')).toBe('2026-11-17T00:00:00.000Z');
  expect(start('7d', NOW, 'Asia/Kolkata')).toBe('2026-11-16T18:30:00.000Z');
});

it('shorter ranges start to the millisecond', () => {
  expect(start('1h', NOW, 'Asia/Kolkata')).toBe('2026-11-23T09:20:30.000Z');
  expect(start('24h', NOW, 'UTC')).toBe('2026-11-22T10:20:30.000Z');
});

it.each([
  ['2026-03-29T20:00:00Z', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25T20:00:00Z', '2026-10-24T22:00:00.000Z'],
  ['2026-10-24T22:30:00Z', '2026-10-24T22:00:00.000Z'],
])('a day on which clocks change starts at its midnight: %s', (time, expected) => {
  expect(new Date(startOfDay(Date.parse(time), 'Europe/Berlin')).toISOString()).toBe(expected);
});

it('a day is named as in its zone', () => {
  expect(dayOf(Date.parse('2026-11-23T23:30:00Z'), 'Europe/Berlin')).toBe('2026-11-24');
  expect(dayOf(Date.parse('2026-11-23T23:30:00Z'), 'UTC')).toBe('2026-11-23');
});

it('knows time zones', () => {
  expect(['UTC', 'Europe/Berlin', 'Nowhere/City', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
