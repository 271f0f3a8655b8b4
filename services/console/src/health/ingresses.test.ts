import type { Watcher } from '@tollgate/proto/auth';
import { IngressSession } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { ingressesOf } from './ingresses.ts';

function session(ingressName: string, silentMs: number): IngressSession {
  return IngressSession.fromPartial({ ingressName, silentMs: BigInt(silentMs), openedAtMs: 1n, leasedNanos: 7n });
}

function watcher(ingressName: string, silentMs: number): Watcher {
  return { watcherId: '', ingressName, silentMs: BigInt(silentMs), unconfirmed: 2n };
}

it('pairs what auth and the ledger know of an ingress, the latest with the latest', () => {
  const sessions = [session('b', 90_000), session('b', 100), session('a', 50)];
  const watchers = [watcher('b', 40), watcher('c', 10)];
  const rows = ingressesOf(sessions, watchers);
  expect(rows.map((row) => [row.ingress, row.ledgerSilentMs, row.revocationSilentMs])).toEqual([
    ['a', 50n, undefined],
    ['b', 100n, 40n],
    ['b', 90_000n, undefined],
    ['c', undefined, 10n],
  ]);
  expect(rows[3]).toMatchObject({ startedAtMs: undefined, leasedNanos: undefined, unconfirmedChanges: 2n });
});

it('has no sum of leases that the ledger did not sum, and 0 for none', () => {
  const leases = [{ leasedNanos: undefined }, { leasedNanos: 0n }, { leasedNanos: 7n }];
  const sessions = leases.map((fields, index) => ({ ...session(`ingress-${index}`, 50), ...fields }));
  expect(ingressesOf(sessions, []).map((row) => [row.ledgerSilentMs, row.leasedNanos])).toEqual([
    [50n, undefined],
    [50n, 0n],
    [50n, 7n],
  ]);
});
