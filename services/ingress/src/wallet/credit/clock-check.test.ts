import { createLogger } from '@tollgate/common/logging';
import { describe, expect, it } from 'vitest';
import { ClockCheck } from './clock-check.ts';

const silent = createLogger('test', 'silent');

/** A clock that a test sets. */
function check(wallMs = 1_000_000) {
  const now = { monotonicMs: 5_000, wallMs };
  const clock = { monotonicMs: () => now.monotonicMs, wallMs: () => now.wallMs };
  const instant = () => ({ ...now });
  const pass = (ms: number) => {
    now.monotonicMs += ms;
    now.wallMs += ms;
  };
  return { now, instant, pass, clocks: new ClockCheck(clock, silent) };
}

describe('ClockCheck', () => {
  it.each([
    [0, 0, false],
    [-60_000, -60_000, false],
    [-60_001, -60_001, true],
    [60_000, 60_000, false],
    [60_001, 60_001, true],
  ])('finds a clock that is %i ms ahead', (skewMs, aheadMs, differs) => {
    const { instant, clocks } = check();
    clocks.compare(instant(), BigInt(1_000_000 - skewMs));
    expect([clocks.aheadMs, clocks.differs]).toEqual([aheadMs, differs]);
  });

  it('counts only what the round trip cannot explain', () => {
    const { instant, pass, clocks } = check();
    const sentAt = instant();
    pass(100_000);
    for (const then of [1_000_000, 1_050_000, 1_100_000]) {
      clocks.compare(sentAt, BigInt(then));
      expect(clocks.aheadMs).toBe(0);
    }
    clocks.compare(sentAt, 1_170_000n);
    expect([clocks.aheadMs, clocks.differs]).toEqual([-70_000, true]);
  });

  it('uses the current time of a clock that was set during the round trip', () => {
    const { now, instant, pass, clocks } = check();
    const sentAt = instant();
    pass(10);
    now.wallMs -= 900_000;
    clocks.compare(sentAt, 1_000_005n);
    expect(clocks.differs).toBe(true);
  });

  it('ignores a ledger that reports no time', () => {
    const { instant, clocks } = check();
    clocks.compare(instant(), 0n);
    expect(clocks.problem()).toBeUndefined();
  });
});
