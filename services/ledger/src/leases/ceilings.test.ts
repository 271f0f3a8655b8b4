import { newId } from '@tollgate/common/ids';
import { CapPeriod, Ceiling, type Need } from '@tollgate/proto/ledger';
import { describe, expect, it } from 'vitest';
import { balanceAcquire, balanceNeed } from '../../testing/lease-call.ts';
import { DAY_MS } from '../store/time.ts';
import { acquireOf, ceilingName, ceilingOf } from './ceilings.ts';

const accountId = newId();
const nodeId = newId();

describe('the name of a ceiling', () => {
  it.each([
    [CapPeriod.DAY, 'day', DAY_MS],
    [CapPeriod.MONTH, 'month', Date.UTC(2026, 1, 1)],
    [CapPeriod.TOTAL, 'total', 0],
  ])('is of a cap: %j is %j from %j', (period, label, startMs) => {
    const name = { nodeId, period, periodStartMs: BigInt(startMs) };
    const cap = { accountId, nodeId, period: label, startMs };
    expect(ceilingOf(accountId.toUpperCase(), { ...name, nodeId: nodeId.toUpperCase() })).toEqual({ accountId, cap });
    expect(ceilingName(ceilingOf(accountId, name)?.cap)).toEqual(name);
  });

  it('is of the balance without a node', () => {
    expect(ceilingOf(accountId, ceilingName(undefined))).toEqual({ accountId, cap: undefined });
  });

  it.each([
    [nodeId, CapPeriod.DAY, 1],
    [nodeId, CapPeriod.DAY, -DAY_MS],
    [nodeId, CapPeriod.MONTH, Date.UTC(2026, 1, 2)],
    [nodeId, CapPeriod.TOTAL, DAY_MS],
    [nodeId, CapPeriod.UNSPECIFIED, 0],
    ['', CapPeriod.TOTAL, 0],
    ['', CapPeriod.UNSPECIFIED, 1],
    ['x', CapPeriod.TOTAL, 0],
  ])('is malformed: %j, %j from %j', (node, period, start) => {
    expect(ceilingOf(accountId, { nodeId: node, period, periodStartMs: BigInt(start) })).toBeUndefined();
  });

  it('is malformed without an account, or with a period that is not known', () => {
    expect(ceilingOf(accountId, undefined)).toBeUndefined();
    expect(ceilingOf('x', ceilingName(undefined))).toBeUndefined();
    const inPeriod9 = new Uint8Array([16, 9]);
    expect(ceilingOf(accountId, Ceiling.decode(inPeriod9))).toBeUndefined();
  });
});

describe('an acquire', () => {
  const need = (node: string): Need => ({
    ceiling: { nodeId: node, period: CapPeriod.TOTAL, periodStartMs: 0n },
    grantedTotalNeeded: 1n,
    limitNanos: 5n,
    revision: 2n,
  });
  const of = (...needs: Need[]) => acquireOf({ ...balanceAcquire(accountId, 0n, 3n), needs });

  it('names the balance and caps, in its order', () => {
    const cap = { accountId, nodeId, period: 'total', startMs: 0 };
    expect(of(need(nodeId), balanceNeed(7n))).toEqual({
      accountId,
      sequence: 3n,
      prefetch: false,
      needs: [
        { cap, grantedTotalNeeded: 1n, limitNanos: 5n, revision: 2n },
        { cap: undefined, grantedTotalNeeded: 7n, limitNanos: 0n, revision: 0n },
      ],
    });
  });

  it('names something, at most 64 ceilings, each once, and no negative limit', () => {
    const many = Array.from({ length: 65 }, () => need(newId()));
    expect(of(...many.slice(1))?.needs).toHaveLength(64);
    expect(of(...many)).toBeUndefined();
    expect(of()).toBeUndefined();
    expect(of(balanceNeed(1n), balanceNeed(2n))).toBeUndefined();
    expect(of(need(nodeId), need(nodeId.toUpperCase()))).toBeUndefined();
    expect(of({ ...need(nodeId), limitNanos: -1n })).toBeUndefined();
    expect(of({ ...need(nodeId), ceiling: undefined })).toBeUndefined();
  });
});
