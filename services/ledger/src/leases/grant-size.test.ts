import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantSize } from './grant-size.ts';

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });

describe('grantSize', () => {
  it('is nothing if the need exceeds the available credit, and exact at the last nano-dollar', () => {
    expect(grantSize(101n, 100n)).toBeUndefined();
    expect(grantSize(100n, 100n)).toBe(100n);
    expect(grantSize(1n, 0n)).toBeUndefined();
  });

  it('is the need alone near the end of the balance', () => {
    expect(grantSize(10n, 330n)).toBe(10n);
    expect(grantSize(10n, 345n)).toBe(10n);
    expect(grantSize(10n, 346n)).toBe(11n);
  });

  it('is never below the need, nor above what there is, a share of the rest or a multiple of the need', () => {
    fc.assert(
      fc.property(amount, amount, (need, available) => {
        const grant = grantSize(need, available);
        if (available < need) return grant === undefined;
        if (grant === undefined) return false;
        const extra = grant - need;
        return extra >= 0n && grant <= available && extra * 16n <= available - need && extra <= 64n * need;
      }),
    );
  });

  it('shrinks as the balance does', () => {
    fc.assert(
      fc.property(amount, amount, amount, (need, one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const small = grantSize(need, less);
        const large = grantSize(need, more);
        return small === undefined || (large !== undefined && small <= large);
      }),
    );
  });
});
