import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences, ratios, spreadOf } from './compare.ts';
import { median, quantile } from './quantile.ts';

const samples = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 60 });

describe('quantile', () => {
  it('takes the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(quantile(hundred, 0.99)).toBe(99);
    expect(quantile(hundred, 0.5)).toBe(50);
    expect(quantile(hundred, 1)).toBe(100);
    expect(quantile(hundred, 0)).toBe(1);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it('is a sample with at least that share at or below it, and less than that share below it', () => {
    fc.assert(
      fc.property(samples, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
        const value = quantile(values, share);
        const atOrBelow = values.filter((sample) => sample <= value).length;
        const below = values.filter((sample) => sample < value).length;
        expect(values).toContain(value);
        expect(atOrBelow).toBeGreaterThanOrEqual(Math.ceil(share * values.length));
        expect(below).toBeLessThan(Math.ceil(share * values.length));
      }),
    );
  });

  it('throws without samples', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('median', () => {
  it('is the middle, or the mean of the middle two', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 7])).toBe(6);
  });

  it('does not depend on the order and leaves the samples as they were', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const before = [...values];
        expect(median(values.toReversed())).toBe(median(values));
        expect(values).toEqual(before);
      }),
    );
  });
});

describe('comparison of rounds', () => {
  it('compares round by round, so that a slow round does not move the median', () => {
    expect(ratios([20, 200, 22], [10, 100, 10])).toEqual({ median: 2, min: 2, max: 2.2 });
    expect(differences([3, 50, 5], [1, 48, 2])).toEqual({ median: 2, min: 2, max: 3 });
  });

  it('rejects different numbers of rounds', () => {
    expect(() => ratios([1, 2], [1])).toThrow(RangeError);
    expect(() => ratios([], [])).toThrow(RangeError);
  });

  it('reports minimum and maximum', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
  });
});
