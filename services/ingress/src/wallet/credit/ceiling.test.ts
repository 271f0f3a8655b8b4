import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ceilingsOf, pathKey } from './ceiling.ts';

const NODE = { nodeId: 'key', caps: { dayNanos: 5n, totalNanos: 9n }, revision: 3n };
const AT = Date.UTC(2026, 10, 23, 12);

it('has the caps of nodes from the root down, and the session last', () => {
  const path = {
    nodes: [{ ...NODE, nodeId: 'project' }, NODE],
    session: { nodeId: 's', limitNanos: 7n },
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

const limit = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });

it('has a later revision of a session for a lower limit, always positive', () => {
  const revisionOf = (limitNanos: bigint) =>
    ceilingsOf({ nodes: [], session: { nodeId: 's', limitNanos }, startedAtMs: AT })[0]?.limit.revision ?? 0n;
  fc.assert(
    fc.property(limit, limit, (one, other) => {
      expect(revisionOf(one)).toBeGreaterThan(0n);
      expect(revisionOf(one) > revisionOf(other)).toBe(one < other);
    }),
  );
});

it('is another path with another session, or another limit of it', () => {
  const keyOf = (nodeId: string, limitNanos: bigint) =>
    pathKey({ nodes: [NODE], session: { nodeId, limitNanos }, startedAtMs: AT });
  const without = pathKey({ nodes: [NODE], startedAtMs: AT });
  expect(new Set([keyOf('s', 1n), keyOf('t', 1n), keyOf('s', 2n), without]).size).toBe(4);
});
