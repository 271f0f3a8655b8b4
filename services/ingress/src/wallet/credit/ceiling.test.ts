import type { LimitGrant } from '@tollgate/common/keys/index';
import { expect, it } from 'vitest';
import { ceilingsOf, pathKey } from './ceiling.ts';

const NODE = { nodeId: 'key', caps: { dayNanos: 5n, totalNanos: 9n }, grants: [], revision: 3n };
const AT = Date.UTC(2026, 10, 23, 12);

it('has the caps of nodes from the root down, and the session last', () => {
  const path = {
    nodes: [{ ...NODE, nodeId: 'project' }, NODE],
    session: { nodeId: 's', limitNanos: 7n, revision: 1n },
    startedAtMs: AT,
  };
  expect(ceilingsOf(path).map(({ ceiling, limit }) => [ceiling.nodeId, ceiling.period, limit.nanos])).toEqual([
    ['project', 'day', 5n],
    ['project', 'total', 9n],
    ['key', 'day', 5n],
    ['key', 'total', 9n],
    ['s', 'session', 7n],
  ]);
});

const DAY_MS = 86_400_000;
const grantOf = (period: LimitGrant['period'], periodStartMs: number, limitNanos: bigint): LimitGrant => ({
  period,
  periodStartMs,
  sessionNodeId: '',
  limitNanos,
  revision: 0n,
});

it('has what is granted for a window in just this window, and never less than the cap', () => {
  const limitsAt = (grants: LimitGrant[], startedAtMs: number) =>
    ceilingsOf({ nodes: [{ ...NODE, grants }], startedAtMs }).map(({ limit }) => limit.nanos);
  const today = AT - (AT % DAY_MS);
  expect(limitsAt([grantOf('day', today, 8n)], AT)).toEqual([8n, 9n]);
  expect(limitsAt([grantOf('day', today, 8n)], today + DAY_MS - 1)).toEqual([8n, 9n]);
  for (const other of [today - 1, today + DAY_MS])
    expect(limitsAt([grantOf('day', today, 8n)], other)).toEqual([5n, 9n]);
  expect(limitsAt([grantOf('day', today, 4n)], AT)).toEqual([5n, 9n]);
  // Nothing is capped that has no cap, and a grant of another window is none of this one.
  expect(limitsAt([grantOf('month', Date.UTC(2026, 10), 8n)], AT)).toEqual([5n, 9n]);
});

it('is another path with another session, or another limit of it', () => {
  const keyOf = (nodeId: string, revision: bigint) =>
    pathKey({ nodes: [NODE], session: { nodeId, limitNanos: 5n, revision }, startedAtMs: AT });
  const without = pathKey({ nodes: [NODE], startedAtMs: AT });
  expect(new Set([keyOf('s', 1n), keyOf('t', 1n), keyOf('s', 2n), without]).size).toBe(4);
});
