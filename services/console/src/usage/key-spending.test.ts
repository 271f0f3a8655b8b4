import { ApiKey, KeyStatus } from '@tollgate/proto/auth';
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
    const caps = { dayNanos: 100n, totalNanos: 1_000_000_000n };
    const startMs = BigInt(Date.UTC(2026, 10, 23));
    expect(used({ caps }, [{ periodStartMs: startMs, spentNanos: 30n, heldNanos: 20n }])).toEqual([
      {
        period: CapPeriod.DAY,
        limitNanos: 100n,
        spentNanos: 30n,
        heldNanos: 20n,
        leftNanos: 50n,
        reached: false,
        resetsAtMs: startMs + 86_400_000n,
      },
      {
        period: CapPeriod.TOTAL,
        limitNanos: 1_000_000_000n,
        spentNanos: 0n,
        heldNanos: 0n,
        leftNanos: 1_000_000_000n,
        reached: false,
        resetsAtMs: undefined,
      },
    ]);
  });

  it('has nothing left of a cap that was lowered below what is spent', () => {
    const capUsage = used({ caps: { monthNanos: 10n } }, [{ period: CapPeriod.MONTH, spentNanos: 30n }]);
    expect(capUsage).toMatchObject([{ spentNanos: 30n, leftNanos: 0n, reached: true }]);
  });

  it('is reached while the ledger refuses requests under this limit, not under one that was raised since', () => {
    const usage = { period: CapPeriod.MONTH, spentNanos: 9n, limitNanos: 10n, reached: true };
    const reached = (monthNanos: bigint) => used({ caps: { monthNanos } }, [usage])[0]?.reached;
    expect(reached(10n)).toBe(true);
    expect(reached(20n)).toBe(false);
  });
});
