import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dailyLimit } from './daily-limit.ts';

const BASE = 500n;

it.each([
  ['nothing yet', { oldNetNanos: 0n, recentNanos: 0n }, { limitNanos: 500n, leftNanos: 500n }],
  ['a day half used', { oldNetNanos: 0n, recentNanos: 300n }, { limitNanos: 500n, leftNanos: 200n }],
  ['proven payments', { oldNetNanos: 700n, recentNanos: 300n }, { limitNanos: 1_200n, leftNanos: 900n }],
  ['more disputes than payments', { oldNetNanos: -200n, recentNanos: 0n }, { limitNanos: 500n, leftNanos: 500n }],
  ['more paid than allowed now', { oldNetNanos: 0n, recentNanos: 900n }, { limitNanos: 500n, leftNanos: 0n }],
])('%s', (_, paidIn, limit) => {
  expect(dailyLimit(BASE, { ownLimitNanos: undefined, ...paidIn })).toMatchObject(limit);
});

it('operators decide instead, also to allow nothing', () => {
  expect(dailyLimit(BASE, { ownLimitNanos: 0n, oldNetNanos: 700n, recentNanos: 0n }).leftNanos).toBe(0n);
  expect(dailyLimit(BASE, { ownLimitNanos: 9_000n, oldNetNanos: 0n, recentNanos: 0n }).leftNanos).toBe(9_000n);
});

it('never falls below the base, and never rises by a refund', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(amount, amount, amount, (oldNetNanos, refunded, recentNanos) => {
      const before = dailyLimit(BASE, { ownLimitNanos: undefined, oldNetNanos, recentNanos });
      const after = dailyLimit(BASE, { ownLimitNanos: undefined, oldNetNanos: oldNetNanos - refunded, recentNanos });
      expect(after.limitNanos).toBeLessThanOrEqual(before.limitNanos);
      expect(after.leftNanos).toBeLessThanOrEqual(before.leftNanos);
      expect(after.limitNanos).toBeGreaterThanOrEqual(BASE);
    }),
  );
});
