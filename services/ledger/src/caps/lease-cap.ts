import { minBigInt } from '@tollgate/common/money';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { AcquireCap, CapState } from '@tollgate/proto/ledger';
import { grantSize } from '../leases/grant-size.ts';
import { ensureAccounts, lockBalance } from '../store/balances.ts';
import { grantCap, returnCapPart } from '../store/cap-leases.ts';
import type { Cap } from '../store/caps.ts';
import { type CapCounters, lockCap, writeCap } from '../store/caps.ts';
import { capName, capState, roomOf, unknownCap } from './cap-state.ts';

export type CapDemand = Pick<AcquireCap, 'sequence' | 'grantedTotalNeeded' | 'limitNanos' | 'keyRevision'>;

/**
 * Grows a session's part of a cap until its cumulative grant reaches what is needed, all or nothing, and applies the limit of
 * a later revision of the key. A repeated request finds the grant made, and a request older than the last granted one gets
 * nothing more.
 *
 * It also refuses when nothing more is needed, as long as more is spent and lent than the cap allows. A session that has seen
 * a cap change uses its part only after a response that is no refusal, and then nothing lent exceeds the limit.
 *
 * @returns 'fenced' when the session may not be used
 */
export function acquireCap(pool: Pool, sessionId: string, cap: Cap, demand: CapDemand): Promise<CapState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    await lockAccount(client, cap.accountId);
    const known = await lockCap(client, cap, sessionId);
    if (known === 'fenced') return 'fenced';
    const counters = await withLatestLimit(client, cap, demand, known);
    const { sequence } = demand;
    const need = demand.grantedTotalNeeded - counters.granted;
    if (need <= 0n || sequence < counters.acquireSequence) {
      return capState(cap, counters, sequence, roomOf(counters) < 0n);
    }
    const amount = grantSize(need, roomOf(counters));
    if (amount === undefined) return capState(cap, counters, sequence, true);
    await grantCap(client, { cap, sessionId, amount, sequence });
    const after = { ...counters, granted: counters.granted + amount, capLeased: counters.capLeased + amount };
    return capState(cap, after, sequence, false);
  });
}

/** Locks the account's balance, which guards its caps. Creates it for an account that never had money. */
async function lockAccount(client: PoolClient, accountId: string): Promise<void> {
  if ((await lockBalance(client, accountId)) !== undefined) return;
  await ensureAccounts(client, [accountId]);
  await lockBalance(client, accountId);
}

async function withLatestLimit(
  client: PoolClient,
  cap: Cap,
  demand: CapDemand,
  known: CapCounters | undefined,
): Promise<CapCounters> {
  if (known !== undefined && known.keyRevision >= demand.keyRevision) return known;
  const capSpent = await writeCap(client, cap, demand);
  const counters = known ?? { capLeased: 0n, granted: 0n, spent: 0n, returned: 0n, acquireSequence: 0n };
  return { ...counters, limit: demand.limitNanos, keyRevision: demand.keyRevision, capSpent };
}

/**
 * Takes back what a session does not need of a cap, up to the given cumulative total and at most its remaining part.
 *
 * @returns 'fenced' when the session may not be used
 */
export function returnCap(
  pool: Pool,
  sessionId: string,
  cap: Cap,
  returnedTotal: bigint,
): Promise<CapState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    await lockBalance(client, cap.accountId);
    const counters = await lockCap(client, cap, sessionId);
    if (counters === 'fenced') return 'fenced';
    if (counters === undefined) return unknownCap(capName(cap), 0n, false);
    const amount = minBigInt(returnedTotal, counters.granted - counters.spent) - counters.returned;
    if (amount <= 0n) return capState(cap, counters, 0n, false);
    await returnCapPart(client, cap, sessionId, amount);
    const after = { ...counters, returned: counters.returned + amount, capLeased: counters.capLeased - amount };
    return capState(cap, after, 0n, false);
  });
}
