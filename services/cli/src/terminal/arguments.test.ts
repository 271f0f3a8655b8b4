import { describe, expect, it } from 'vitest';
import { duration, entry, integer, time } from './arguments.ts';

describe('time', () => {
  it.each([
    ['2026-05-01T14:00:00+02:00', '2026-05-01T12:00:00.000Z'],
    ['2026-05-01', '2026-05-01T00:00:00.000Z'],
    ['1777636800', '2026-05-01T12:00:00.000Z'],
  ])('reads %s', (text, expected) => expect(time(text)).toBe(expected));

  it.each(['soon', '2026-05', '2026-05-01T12:00:00', '2026-13-01', ''])('refuses %j', (text) => {
    expect(() => time(text)).toThrow('such as 2026-05-01T12:00:00Z');
  });
});

describe('duration', () => {
  it.each([
    ['90s', 90],
    ['30m', 1_800],
    ['12h', 43_200],
    ['7d', 604_800],
    ['0', 0],
  ])('reads %s', (text, expected) => expect(duration(text)).toBe(expected));

  it.each(['12', '1w', '-1h', ''])('refuses %j', (text) => expect(() => duration(text)).toThrow('such as 90s'));
});

it.each(['0', '11', '1.5', 'x', ''])('an integer from 1 to 10 is not %j', (text) => {
  expect(integer(1, 10)('10')).toBe(10);
  expect(() => integer(1, 10)(text)).toThrow('from 1 to 10');
});

it('entries are collected, each name once', () => {
  expect(entry('team=a=b', entry('cost-center=x', undefined))).toEqual({ 'cost-center': 'x', team: 'a=b' });
  for (const text of ['team', '=x', '__proto__=x', '1=x']) expect(() => entry(text, undefined)).toThrow('team=search');
  expect(() => entry('team=b', { team: 'a' })).toThrow('given twice');
});
