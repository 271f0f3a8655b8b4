import { formatDollars } from '@tollgate/common/money';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRate } from './rate.ts';

describe('parseRate', () => {
  it('reads every rate exactly as it is printed', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nanos) => {
        expect(parseRate(formatDollars(nanos))).toEqual({ ok: true, nanosPerMillion: nanos });
      }),
    );
  });

  it.each(['', '-1', '1e3', '0x10', '.5', '5.', '1_000', 'NaN', ' 1', '1,5', '1000000.000000001'])(
    'refuses %j',
    (text) => {
      expect(parseRate(text).ok).toBe(false);
    },
  );

  it('names more than nine decimals as the fault', () => {
    expect(parseRate('0.0000000001')).toMatchObject({ ok: false, message: expect.stringContaining('nine decimals') });
  });
});
