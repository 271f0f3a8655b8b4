import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDollars, lineAmount, lineBound, parseDollars } from './money.ts';

describe('lineAmount', () => {
  it('rounds half to even', () => {
    expect(lineAmount(1n, 500_000n)).toBe(0n);
    expect(lineAmount(1n, 1_500_000n)).toBe(2n);
    expect(lineAmount(1n, 2_500_000n)).toBe(2n);
    expect(lineAmount(1n, 2_500_001n)).toBe(3n);
    expect(lineAmount(3n, 1_000_000n)).toBe(3n);
  });

  it('is within half a nano of the exact value and never above the bound', () => {
    const quantity = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const rate = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(
      fc.property(quantity, rate, (q, r) => {
        const amount = lineAmount(q, r);
        const error = amount * 1_000_000n - q * r;
        expect(error * 2n >= -1_000_000n && error * 2n <= 1_000_000n).toBe(true);
        expect(amount <= lineBound(q, r)).toBe(true);
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
