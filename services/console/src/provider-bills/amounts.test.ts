import { formatDollars, NANOS_PER_DOLLAR } from '@tollgate/common/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAmount, parseDay } from './amounts.ts';

describe('an amount', () => {
  it('has every digit of dollars, however they are written', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n - 10n ** 15n, max: 10n ** 15n - 1n }), fc.nat(20), (nanos, zeros) => {
        const text = formatDollars(nanos);
        expect(parseAmount(text, 9)).toBe(nanos);
        expect(parseAmount(text.includes('.') ? `${text}${'0'.repeat(zeros)}` : text, 9)).toBe(nanos);
        expect(parseAmount(`${nanos}e-9`, 9)).toBe(nanos);
      }),
    );
  });

  it.each([
    ['0.0000000005', 0n],
    ['0.0000000015', 2n],
    ['0.00000000051', 1n],
    ['-0.0000000015', -2n],
    ['1e-7', 100n],
    ['1.5E2', 150n * NANOS_PER_DOLLAR],
    ['$3', 3n * NANOS_PER_DOLLAR],
  ])('of %s rounds half to even', (text, nanos) => expect(parseAmount(text, 9)).toBe(nanos));

  it.each(['', '1,5', 'NaN', '1e999', '--1', '0x1', '1'.repeat(16)])('is not %j', (text) => {
    expect(parseAmount(text, 9)).toBeUndefined();
  });
});

it.each([
  ['2026-11-29', '2026-11-29'],
  ['2026-11-29T23:59:59Z', '2026-11-29'],
  ['2026-11-29T23:59:59-08:00', '2026-11-30'],
  ['2026-11-29 23:59:59 UTC', '2026-11-29'],
  ['1795910400', '2026-11-29'],
  ['2026-13-29', undefined],
  ['tomorrow', undefined],
])('the day of %s is %s', (text, day) => expect(parseDay(text)).toBe(day));
