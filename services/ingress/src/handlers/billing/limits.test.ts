import { SESSION_REVISION } from '@tollgate/common/keys/index';
import { CapPeriod, CapUsage } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { listLimits } from './limits.ts';

const DOLLAR = 1_000_000_000n;
const NOW = Date.UTC(2026, 10, 23, 12);
const DAY = BigInt(Date.UTC(2026, 10, 23));
const OWNER = { accountId: 'account', keyId: 'key', keyName: 'ci', nodes: [], grants: [], session: undefined };
const BALANCE = { balanceNanos: 10n * DOLLAR, heldNanos: 3n * DOLLAR };

function used(spentNanos: bigint, heldNanos: bigint): CapUsage {
  return CapUsage.fromPartial({ nodeId: 'key', period: CapPeriod.DAY, periodStartMs: DAY, spentNanos, heldNanos });
}

it('has the balance first, then the caps that the key has', () => {
  const caps = { dayNanos: 5n * DOLLAR, totalNanos: 90n * DOLLAR };
  expect(listLimits({ ...OWNER, caps }, BALANCE, [used(DOLLAR, 2n * DOLLAR)], NOW)).toEqual([
    {
      scope: 'account',
      id: 'account',
      name: null,
      window: null,
      amount: '10',
      spent: null,
      held: '3',
      left: '7',
      resets_at: null,
      currency: 'USD',
    },
    {
      scope: 'key',
      id: 'key',
      name: 'ci',
      window: 'day',
      amount: '5',
      spent: '1',
      held: '2',
      left: '2',
      resets_at: '2026-11-24T00:00:00.000Z',
      currency: 'USD',
    },
    expect.objectContaining({ window: 'total', amount: '90', spent: '0', held: '0', left: '90', resets_at: null }),
  ]);
});

it('has nothing left of a cap that was lowered below what is spent and held', () => {
  const [, cap] = listLimits({ ...OWNER, caps: { dayNanos: DOLLAR } }, BALANCE, [used(2n * DOLLAR, DOLLAR)], NOW);
  expect(cap).toMatchObject({ amount: '1', spent: '2', held: '1', left: '0' });
});

it('has only the balance for a key without caps', () => {
  expect(listLimits({ ...OWNER, caps: undefined }, BALANCE, [], NOW)).toHaveLength(1);
});

it('has what was granted for the present window, and for the session, as their limits', () => {
  const grant = { period: 'day' as const, periodStartMs: Number(DAY), sessionNodeId: '', limitNanos: 7n * DOLLAR };
  const caps = { dayNanos: 5n * DOLLAR };
  const key = { ...OWNER, caps, grants: [{ ...grant, revision: 0n }] };
  expect(listLimits(key, BALANCE, [used(DOLLAR, 0n)], NOW)[1]).toMatchObject({ amount: '7', left: '6' });
  const yesterday = { ...key, grants: [{ ...grant, periodStartMs: Number(DAY) - 86_400_000, revision: 0n }] };
  expect(listLimits(yesterday, BALANCE, [used(DOLLAR, 0n)], NOW)[1]).toMatchObject({ amount: '5', left: '4' });
  const session = { nodeId: 's', name: 'nightly', limitNanos: 3n * DOLLAR, revision: SESSION_REVISION + 1n };
  const known = CapUsage.fromPartial({
    nodeId: 's',
    period: CapPeriod.SESSION,
    limitNanos: DOLLAR,
    spentNanos: DOLLAR,
  });
  expect(listLimits({ ...OWNER, caps: undefined, session }, BALANCE, [known], NOW)[1]).toMatchObject({
    amount: '3',
    left: '2',
  });
});
