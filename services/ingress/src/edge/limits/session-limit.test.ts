import { isUuid } from '@tollgate/common/ids';
import { type LimitGrant, SESSION_REVISION, sessionNodeId } from '@tollgate/common/keys/index';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { limitedSession } from './session-limit.ts';

const DOLLAR = 1_000_000_000n;
const KEY = { keyId: 'key', sessionNanos: undefined, grants: [] };
const asks = (dollars: string) => ({ 'x-tollgate-session-limit': dollars });

it('is in no session with a limit without a header, unless one is set for sessions of the key', () => {
  expect(limitedSession(KEY, 'nightly', {})).toBeUndefined();
  const set = { ...KEY, sessionNanos: 5n * DOLLAR };
  expect(limitedSession(set, 'nightly', {})).toMatchObject({ name: 'nightly', limitNanos: 5n * DOLLAR });
  expect(limitedSession(set, '', {})).toBeUndefined();
});

it('has the limit of its header, which cannot raise what is set for sessions of the key', () => {
  expect(limitedSession(KEY, 'nightly', asks('0.25'))?.limitNanos).toBe(DOLLAR / 4n);
  const set = { ...KEY, sessionNanos: 5n * DOLLAR };
  expect(limitedSession(set, 'nightly', asks('0.25'))?.limitNanos).toBe(DOLLAR / 4n);
  expect(limitedSession(set, 'nightly', asks('6'))?.limitNanos).toBe(5n * DOLLAR);
});

it('has a node for each key and name', () => {
  const nodeOf = (keyId: string, name: string) => limitedSession({ ...KEY, keyId }, name, asks('1'))?.nodeId;
  const nodes = [nodeOf('a', 'nightly'), nodeOf('b', 'nightly'), nodeOf('a', 'daily'), nodeOf('a', 'Nightly')];
  expect(new Set(nodes).size).toBe(nodes.length);
  expect(nodes.every((node) => isUuid(node ?? ''))).toBe(true);
  expect(nodeOf('a', 'nightly')).toBe(nodes[0]);
});

it.each(['', '0', '-1', 'five', '1e3', '5 USD', '1,5', '1.0000000001', '1000000000'])(
  'refuses a limit of %j',
  (limit) => {
    expect(() => limitedSession(KEY, 'nightly', asks(limit))).toThrow('x-tollgate-session-limit: must be a positive');
  },
);

it('refuses a limit without a session', () => {
  expect(() => limitedSession(KEY, '', asks('5'))).toThrow('x-tollgate-session-limit: needs a session');
});

const amount = fc.bigInt({ min: 1n, max: 10n ** 18n - 1n });

it('has a later revision for a lower limit, and what was granted is later than all of them', () => {
  const granted: LimitGrant = {
    period: 'session',
    periodStartMs: 0,
    sessionNodeId: sessionNodeId('key', 'nightly'),
    limitNanos: 7n,
    revision: SESSION_REVISION + 1n,
  };
  const of = (sessionNanos: bigint, grants: LimitGrant[] = []) =>
    limitedSession({ ...KEY, sessionNanos, grants }, 'nightly', {});
  const revisionOf = (sessionNanos: bigint) => of(sessionNanos)?.revision ?? 0n;
  fc.assert(
    fc.property(amount, amount, (one, other) => {
      expect(revisionOf(one)).toBeGreaterThan(0n);
      expect(revisionOf(one) > revisionOf(other)).toBe(one < other);
      expect(of(one, [granted])).toMatchObject({ limitNanos: 7n, revision: granted.revision });
      expect(granted.revision).toBeGreaterThan(revisionOf(one));
    }),
  );
  const another = { ...granted, sessionNodeId: sessionNodeId('key', 'daily') };
  expect(of(5n, [another])?.limitNanos).toBe(5n);
  // Nothing is limited that has no limit.
  expect(limitedSession({ ...KEY, grants: [granted] }, 'nightly', {})).toBeUndefined();
});
