import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { Refusal, RefusalCount } from '@tollgate/proto/ledger';
import { placeOf } from '../store/ceilings.ts';
import { type AddedRefusals, addRefusalCounts, addUnknownKeys, NO_KEY } from '../store/refusal-counts.ts';
import { insertRefusals, trimRefusals } from '../store/refusals.ts';
import { DAY_MS } from '../store/time.ts';
import type { KeyPlace } from '../store/usage.ts';

/** What an ingress reports, with ids in lower case. */
export interface RefusalReport {
  refusals: readonly Refusal[];
  /** Refusals that it dropped and only counted. */
  dropped: readonly RefusalCount[];
  /** Requests with unknown keys. */
  unknownKeys: bigint;
}

/**
 * Records refusals and counts them, once each. It locks no balance, so that settlement never waits for it.
 *
 * Accounts are not checked: the ledger knows only those that had credit, and the first requests of a new account are refused
 * because it has none.
 */
export function recordRefusals(pool: Pool, { refusals, dropped, unknownKeys }: RefusalReport): Promise<void> {
  const nowMs = Date.now();
  return inTransaction(pool, async (client) => {
    const added = refusals.length === 0 ? [] : await insertRefusals(client, refusals);
    const counts = sumCounts(added, dropped, nowMs);
    if (counts.length > 0) await addRefusalCounts(client, counts);
    if (added.length > 0) await trimRefusals(client, [...new Set(added.map(({ accountId }) => accountId))]);
    // Last, because all ingresses share the row.
    if (unknownKeys > 0n) await addUnknownKeys(client, nowMs, unknownKeys);
  });
}

function sumCounts(added: readonly Refusal[], dropped: readonly RefusalCount[], nowMs: number): AddedRefusals[] {
  const sums = new Map<string, AddedRefusals>();
  const add = (
    { accountId, keyId, reason, requests }: Pick<AddedRefusals, 'accountId' | 'keyId' | 'reason' | 'requests'>,
    timeMs: number,
    place: KeyPlace,
  ) => {
    const dayMs = timeMs - (timeMs % DAY_MS);
    const name = `${accountId}/${dayMs}/${keyId}/${reason}`;
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { accountId, dayMs, keyId, reason, requests, ...place });
    else sum.requests += requests;
  };
  for (const refusal of added) add({ ...refusal, requests: 1n }, Number(refusal.refusedAtMs), placeOf(refusal));
  const nowhere = placeOf({ nodes: [] });
  for (const { accountId, reason, count } of dropped) {
    add({ accountId, keyId: NO_KEY, reason, requests: count }, nowMs, nowhere);
  }
  return [...sums.values()];
}
