import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { AcquireCredit, LeaseState } from '@tollgate/proto/ledger';
import { grantLease } from '../store/grant-lease.ts';
import { lockBalance } from '../store/lock-balance.ts';
import { readLease } from '../store/read-lease.ts';
import { grantSize } from './grant-size.ts';
import { leaseState, unknownAccount } from './lease-state.ts';

/**
 * Grows a session's lease until its cumulative grant reaches what is needed, all or nothing. A repeated request finds
 * the grant made, and one older than the last that was granted gets nothing more, so no need is met twice.
 *
 * @returns 'fenced' when the session may not be used
 */
export function acquireCredit(pool: Pool, sessionId: string, request: AcquireCredit): Promise<LeaseState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    const { accountId, sequence } = request;
    const balance = await lockBalance(client, accountId);
    const lease = await readLease(client, accountId, sessionId);
    if (lease === undefined) return 'fenced';
    if (balance === undefined) return unknownAccount(accountId, sequence, request.grantedTotalNeeded > 0n);
    const need = request.grantedTotalNeeded - lease.granted;
    const view = { accountId, sequence, ...lease, ...balance, refused: false };
    if (need <= 0n || sequence < lease.acquireSequence) return leaseState(view);
    const amount = balance.suspended ? undefined : grantSize(need, balance.available);
    if (amount === undefined) return leaseState({ ...view, refused: true });
    await grantLease(client, { accountId, sessionId, transferId: newId(), amount, sequence, nowMs: balance.nowMs });
    return leaseState({
      ...view,
      granted: lease.granted + amount,
      available: balance.available - amount,
      leased: balance.leased + amount,
    });
  });
}
