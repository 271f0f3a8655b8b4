import { formatDollars } from '@tollgate/common/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, count, time, traceId, uuid } from './arguments.ts';

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
    for (const text of ['0', '-1', '1.5', '100001', 'x']) expect(() => count(text)).toThrow(/whole number/);
  });
});
