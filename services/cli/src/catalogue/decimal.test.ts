import { describe, expect, it } from 'vitest';
import { shiftDecimal } from './decimal.ts';

describe('shiftDecimal', () => {
  it.each([
    ['2.5e-06', 6, '2.5'],
    ['3.625e-09', 6, '0.003625'],
    ['1.25E-7', 6, '0.125'],
    ['0.0000004', 6, '0.4'],
    ['0', 6, '0'],
    ['10', 3, '10000'],
    ['2.50', 0, '2.5'],
    ['0.012', 6, '12000'],
  ])('%s by %i places is %s', (text, places, shifted) => {
    expect(shiftDecimal(text, places)).toBe(shifted);
  });

  it('rounds what a source computed with floating-point numbers', () => {
    expect(shiftDecimal('3.0000000000000004e-07', 6)).toBe('0.3');
    expect(shiftDecimal('7.4999999999999995e-08', 6)).toBe('0.075');
  });

  it.each(['', '-1', '1,5', 'free', '1e', 'NaN'])('has no value for %o', (text) => {
    expect(shiftDecimal(text, 6)).toBeUndefined();
  });
});
