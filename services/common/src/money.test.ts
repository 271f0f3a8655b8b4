import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDollars, formatPercent, lineAmount, parseDollars, parsePercent } from './money.ts';

describe('lineAmount', () => {
  it('rounds half to even', () => {
    expect(lineAmount(1n, 500_000n)).toBe(0n);
    expect(lineAmount(1n, 1_500_000n)).toBe(2n);
    expect(lineAmount(1n, 2_500_000n)).toBe(2n);
    expect(lineAmount(1n, 2_500_001n)).toBe(3n);
    expect(lineAmount(3n, 1_000_000n)).toBe(3n);
  });

  it('takes a discount off before it rounds, once', () => {
    // 3 * 0.5 is 1.5, which would round to 2 first, and a tenth off that to 2 again: 1.35 rounds to 1.
    expect(lineAmount(3n, 500_000n, 100_000)).toBe(1n);
    expect(lineAmount(1n, 1_000_000n, 500_000)).toBe(0n);
    expect(lineAmount(3n, 1_000_000n, 500_000)).toBe(2n);
    expect(lineAmount(1_000n, 2_500_000n, 150_000)).toBe(2_125n);
    expect(lineAmount(1_000n, 2_500_000n, 1_000_000)).toBe(0n);
  });

  it('is within half a nano of the exact value', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const rate = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(quantity, rate, (q, r) => {
        const amount = lineAmount(q, r);
        const error = amount * 1_000_000n - q * r;
        expect(error * 2n >= -1_000_000n && error * 2n <= 1_000_000n).toBe(true);
      }),
    );
  });

  it('is within half a nano of the discounted value, and of two equally near ones the even one', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const rate = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(quantity, rate, fc.integer({ min: 0, max: 1_000_000 }), (q, r, ppm) => {
        const amount = lineAmount(q, r, ppm);
        const twiceError = 2n * (amount * 10n ** 12n - q * r * BigInt(1_000_000 - ppm));
        const magnitude = twiceError < 0n ? -twiceError : twiceError;
        expect(magnitude < 10n ** 12n || (magnitude === 10n ** 12n && amount % 2n === 0n)).toBe(true);
      }),
    );
  });
});

describe('dollars as text', () => {
  it('prints exactly', () => {
    expect(formatDollars(0n)).toBe('0');
    expect(formatDollars(1n)).toBe('0.000000001');
    expect(formatDollars(-1_500_000_000n)).toBe('-1.5');
    expect(formatDollars(12_000_000_000n)).toBe('12');
  });

  it('reads what it prints', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (nanos) => {
        expect(parseDollars(formatDollars(nanos))).toBe(nanos);
      }),
    );
  });

  it.each(['', '1.', '.5', '1e3', '0.0000000001', '1,5', 'abc', '--1'])('refuses %j', (text) => {
    expect(parseDollars(text)).toBeUndefined();
  });
});

describe('percent as text', () => {
  it('reads what it prints', () => {
    expect(formatPercent(125_000)).toBe('12.5');
    fc.assert(
      fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), (ppm) => {
        expect(parsePercent(formatPercent(ppm))).toBe(ppm);
      }),
    );
  });

  it.each(['', '1.', '.5', '1e1', '1.00001', '--1', '+1', '15%', '10000'])('refuses %j', (text) => {
    expect(parsePercent(text)).toBeUndefined();
  });
});
