import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Confirmation } from '@tollgate/proto/auth';
import { type ConfirmationRow, listConfirmations } from '../store/confirmations.ts';
import type { WatcherRow } from '../store/watchers.ts';

/** Maximum ingresses in a response. */
const MAX_CONFIRMATIONS = 10_000;

/**
 * Which ingresses have confirmed a revocation.
 *
 * @param cutOff watchers that a wait has found to be cut off, whose rows may have been removed since
 */
export async function confirmationsOf(
  db: Queryable,
  sequence: bigint | undefined,
  cutOff: readonly WatcherRow[] = [],
): Promise<Confirmation[]> {
  if (sequence === undefined) return [];
  const rows = await listConfirmations(db, sequence, MAX_CONFIRMATIONS);
  const known = new Set(rows.map((row) => row.watcher_id));
  const removed = cutOff.filter((watcher) => !known.has(watcher.watcher_id));
  return [
    ...rows.map(toConfirmation),
    ...removed.map((watcher) => toConfirmation({ ...watcher, confirmed: false, confirmed_after_ms: 0 })),
  ];
}

function toConfirmation(row: ConfirmationRow): Confirmation {
  return {
    watcherId: row.watcher_id,
    ingressName: row.ingress_name,
    confirmed: row.confirmed,
    confirmedAfterMs: row.confirmed ? BigInt(Math.ceil(row.confirmed_after_ms)) : undefined,
  };
}
