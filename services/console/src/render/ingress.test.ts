import type { Watcher } from '@tollgate/proto/auth';
import { IngressSession } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { renderIngresses } from './ingress.ts';

function session(ingressName: string, silentMs: number): IngressSession {
  return IngressSession.fromPartial({ ingressName, silentMs: BigInt(silentMs), openedAtMs: 1n, leasedNanos: 7n });
}

function watcher(ingressName: string, silentMs: number): Watcher {
  return { watcherId: '', ingressName, silentMs: BigInt(silentMs), unconfirmed: 2n };
}

it('pairs what auth and the ledger know of an ingress, the latest with the latest', () => {
  const sessions = [session('b', 90_000), session('b', 100), session('a', 50)];
  const watchers = [watcher('b', 40), watcher('c', 10)];
  const rows = renderIngresses(sessions, watchers);
  expect(rows.map((row) => [row.ingress, row.ledger_silent_ms, row.revocation_silent_ms])).toEqual([
    ['a', 50, null],
    ['b', 100, 40],
    ['b', 90_000, null],
    ['c', null, 10],
  ]);
  expect(rows[3]).toMatchObject({ started_at: null, leased: null, unsettled_charges: null, unconfirmed_changes: 2 });
});

it('has no sum of leases that the ledger did not sum, and 0 for none', () => {
  const leases = [{ leasedNanos: undefined }, { leasedNanos: 0n }, { leasedNanos: 7n }];
  const sessions = leases.map((fields, index) => ({ ...session(`ingress-${index}`, 50), ...fields }));
  expect(renderIngresses(sessions, []).map((row) => [row.ledger_silent_ms, row.leased])).toEqual([
    [50, null],
    [50, '0'],
    [50, '0.000000007'],
  ]);
});
