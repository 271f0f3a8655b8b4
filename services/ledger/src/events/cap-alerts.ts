import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import type { Refusal } from '@tollgate/proto/ledger';
import { lockBalances } from '../store/balances.ts';
import {
  type CapOfKey,
  capKey,
  capsAt,
  crossCaps,
  KEY_SCOPE,
  type NamedCap,
  pathOf,
  readRefusingCaps,
} from '../store/ceilings.ts';
import { insertEvents } from '../store/events.ts';
import { capCrossed } from './account-events.ts';

/** A node that is known by its id alone. */
const UNNAMED = { scope: KEY_SCOPE, name: '' };

const CAP_EXCEEDED: RefusalReason = 'cap_exceeded';

/** Records an event for each cap that has reached another part of its limit. The balances are locked. */
export async function alertCaps(client: PoolClient, caps: readonly NamedCap[], nowMs: bigint): Promise<void> {
  await record(client, caps, { refused: false, nowMs });
}

/**
 * Records an event for each cap because of which requests are refused for the first time. What is left of it may never be
 * spent: a request is refused before it could exceed its cap.
 */
export async function alertRefusingCaps(pool: Pool, refusals: readonly Refusal[]): Promise<void> {
  const refused = refusals.filter(({ reason }) => reason === CAP_EXCEEDED);
  if (refused.length === 0) return;
  const nodes = new Map<string, Pick<NamedCap, 'scope' | 'name'>>();
  const candidates = new Map<string, CapOfKey>();
  for (const refusal of refused) {
    const { accountId, keyId, refusedAtMs } = refusal;
    for (const node of pathOf(refusal)) {
      nodes.set(node.nodeId, node);
      for (const cap of capsAt(accountId, node, Number(refusedAtMs)))
        candidates.set(`${keyId}/${capKey(cap)}`, { ...cap, keyId });
    }
  }
  // Read first without a lock: a client may repeat a refused request many times a second.
  const caps = await readRefusingCaps(pool, [...candidates.values()]);
  if (caps.length === 0) return;
  await inTransaction(pool, async (client) => {
    const { nowMs } = await lockBalances(client, [...new Set(caps.map(({ accountId }) => accountId))]);
    const named = caps.map((cap) => ({ ...cap, ...(nodes.get(cap.nodeId) ?? UNNAMED) }));
    await record(client, named, { refused: true, nowMs });
  });
}

async function record(
  client: PoolClient,
  caps: readonly NamedCap[],
  { refused, nowMs }: { refused: boolean; nowMs: bigint },
): Promise<void> {
  const names = new Map(caps.map((cap) => [capKey(cap), cap]));
  const crossed = await crossCaps(client, caps, refused);
  if (crossed.length === 0) return;
  const events = crossed.map((cap) => capCrossed({ ...UNNAMED, ...names.get(capKey(cap)), ...cap }));
  await insertEvents(client, events, nowMs);
}
