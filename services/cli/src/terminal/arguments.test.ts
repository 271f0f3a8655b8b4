import { formatDollars, formatPercent } from '@tollgate/common/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amount,
  amountFromZero,
  count,
  duration,
  limit,
  openLimit,
  percent,
  tag,
  time,
  traceId,
  uuid,
} from './arguments.ts';

describe('amount', () => {
  it('is exact', () => {
    expect(amount('10.50')).toBe(10_500_000_000n);
    expect(amount('-0.000000001')).toBe(-1n);
    const nanos = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).filter((value) => value !== 0n);
    fc.assert(
      fc.property(nanos, (value) => {
        expect(amount(formatDollars(value))).toBe(value);
      }),
    );
  });

  it.each(['0', '0.00', '', 'ten', '1e3', '0.0000000001', '$5', '1,000', 'NaN'])('refuses %j', (text) => {
    expect(() => amount(text)).toThrow(/It must/);
  });
});

describe('an amount from 0 on', () => {
  it('is exact, and may be 0', () => {
    expect(amountFromZero('12.000000001')).toBe(12_000_000_001n);
    expect(amountFromZero('0')).toBe(0n);
  });

  it.each(['-1', '', 'none', '0.0000000001'])('is not %j', (text) => {
    expect(() => amountFromZero(text)).toThrow(/It must/);
  });
});

describe('per cent', () => {
  it('is exact', () => {
    expect(percent('12.5')).toBe(125_000);
    expect(percent('0.0001')).toBe(1);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (ppm) => {
        expect(percent(formatPercent(ppm))).toBe(ppm);
      }),
    );
  });

  it.each(['', '-1', '100.0001', '101', '1.00001', '15%', '1e1', '.5'])('is not %j', (text) => {
    expect(() => percent(text)).toThrow(/It must/);
  });
});

describe('time', () => {
  it.each([
    ['2026-05-01', Date.UTC(2026, 4, 1)],
    ['2026-05-01T12:00Z', Date.UTC(2026, 4, 1, 12)],
    ['2026-05-01T12:00:00.5+02:00', Date.UTC(2026, 4, 1, 10, 0, 0, 500)],
    ['1700000000', 1_700_000_000_000],
  ])('reads %s', (text, expected) => {
    expect(time(text)).toBe(expected);
  });

  it.each(['', 'yesterday', '2026-05-01T12:00', '2026-13-01', '12:00'])('refuses %j', (text) => {
    expect(() => time(text)).toThrow(/It must/);
  });
});

describe('other arguments', () => {
  it('reads ids in any case, and trace ids dashed or not', () => {
    expect(uuid('0190A5B0-0000-7000-8000-00000000000A')).toBe('0190a5b0-0000-7000-8000-00000000000a');
    expect(traceId('0190a5b0-0000-7000-8000-00000000000a')).toBe('0190a5b000007000800000000000000a');
    expect(() => uuid('sk-tollgate-x')).toThrow(/UUID/);
    expect(() => traceId('12')).toThrow(/32 hex/);
  });

  it('reads counts from 1', () => {
    expect(count('100')).toBe(100);
    for (const text of ['0', '-1', '1.5', '100001', 'x']) expect(() => count(text)).toThrow(/integer/);
  });
});

describe('a length of time', () => {
  it.each([
    ['0', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
  ])('%s is read', (text, ms) => {
    expect(duration(text)).toBe(ms);
  });

  it.each(['', '7', '-1h', '1.5h', '1w', 'h', '1 h'])('is not %j', (text) => {
    expect(() => duration(text)).toThrow(/It must/);
  });
});

describe('limits', () => {
  it('are integers from 1 on', () => {
    expect([limit('1'), limit('1000000000'), openLimit('1000000')]).toEqual([1n, 1_000_000_000n, 1_000_000]);
    for (const text of ['0', '-1', '1.5', '', '1e3', '1000000001']) expect(() => limit(text)).toThrow(/It must/);
    expect(() => openLimit('1000001')).toThrow(/It must/);
  });
});

describe('tags', () => {
  it('are collected, and may be empty or hold an equals sign', () => {
    expect(tag('b=x=y', tag('a='))).toEqual({ a: '', b: 'x=y' });
  });

  it.each(['a', '=x', '1=x', '__proto__=x'])('are not %j', (text) => {
    expect(() => tag(text)).toThrow(/It must/);
  });
});
