import { ApiKey, CapSetter, KeyStatus } from '@tollgate/proto/auth';
import { CapPeriod } from '@tollgate/proto/ledger';
import { describe, expect, it } from 'vitest';
import { withUsage } from './key-spending.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const ID = '0190a0b0-0000-7000-8000-000000000000';

function key(given: Parameters<typeof ApiKey.fromPartial>[0] = {}): ApiKey {
  return ApiKey.fromPartial({
    keyId: ID,
    accountId: ID,
    name: 'ci',
    status: KeyStatus.ACTIVE,
    createdAtMs: BigInt(NOW - 1_000),
    ...given,
  });
}

const own = (limitNanos: bigint) => ({ limitNanos, setBy: CapSetter.OWN });

function used(given: Parameters<typeof ApiKey.fromPartial>[0], capUsage: object[] = []) {
  const usage = capUsage.map((each) => ({
    nodeId: ID,
    period: CapPeriod.DAY,
    periodStartMs: 0n,
    periodEndMs: 0n,
    spentNanos: 0n,
    heldNanos: 0n,
    limitNanos: 0n,
    reached: false,
    ...each,
  }));
  return withUsage(key(given), { capUsage: usage, monthNanos: new Map([[ID, 5n]]) }, NOW).capUsage;
}

describe('key', () => {
  it('shows each cap with what is spent, held and left, and when it resets', () => {
    const appliedCaps = { day: { limitNanos: 100n, setBy: CapSetter.PROJECT }, total: own(1_000_000_000n) };
    const startMs = BigInt(Date.UTC(2026, 10, 23));
    expect(used({ appliedCaps }, [{ periodStartMs: startMs, spentNanos: 30n, heldNanos: 20n }])).toEqual([
      {
        period: CapPeriod.DAY,
        limitNanos: 100n,
        spentNanos: 30n,
        heldNanos: 20n,
        leftNanos: 50n,
        reached: false,
        resetsAtMs: startMs + 86_400_000n,
        setBy: CapSetter.PROJECT,
        reachedAtMs: undefined,
      },
      {
        period: CapPeriod.TOTAL,
        limitNanos: 1_000_000_000n,
        spentNanos: 0n,
        heldNanos: 0n,
        leftNanos: 1_000_000_000n,
        reached: false,
        resetsAtMs: undefined,
        setBy: CapSetter.OWN,
        reachedAtMs: undefined,
      },
    ]);
  });

  it('has a forecast where it is reached before it resets, at the pace of the period so far', () => {
    const periodStartMs = BigInt(Date.UTC(2026, 10, 23));
    const [cap] = used({ appliedCaps: { day: own(100n) } }, [{ periodStartMs, spentNanos: 75n }]);
    expect(cap?.reachedAtMs).toBe(BigInt(Date.UTC(2026, 10, 23, 16)));
    expect(used({ appliedCaps: { total: own(100n) } }, [{ period: CapPeriod.TOTAL, spentNanos: 75n }])).toMatchObject([
      { spentNanos: 75n, reachedAtMs: undefined },
    ]);
  });

  it('has nothing left of a cap that was lowered below what is spent', () => {
    const capUsage = used({ appliedCaps: { month: own(10n) } }, [{ period: CapPeriod.MONTH, spentNanos: 30n }]);
    expect(capUsage).toMatchObject([{ spentNanos: 30n, leftNanos: 0n, reached: true }]);
  });

  it('is reached while the ledger refuses requests under this limit, not under one that was raised since', () => {
    const usage = { period: CapPeriod.MONTH, spentNanos: 9n, limitNanos: 10n, reached: true };
    const reached = (monthNanos: bigint) => used({ appliedCaps: { month: own(monthNanos) } }, [usage])[0]?.reached;
    expect(reached(10n)).toBe(true);
    expect(reached(20n)).toBe(false);
  });
});
