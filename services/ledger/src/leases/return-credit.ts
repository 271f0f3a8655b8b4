import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { LeaseState, ReturnCredit } from '@tollgate/proto/ledger';
import { least } from '../least.ts';
import { lockBalance } from '../store/lock-balance.ts';
import { readLease } from '../store/read-lease.ts';
import { returnLease } from '../store/return-lease.ts';
import { leaseState, unknownAccount } from './lease-state.ts';

/**
 * Takes back unspent credit of a session's lease, up to the cumulative total named and never more than the lease still
 * covers.
 *
 * @returns 'fenced' when the session may not be used: what its leases covered is freed already, or soon
 */
export function returnCredit(pool: Pool, sessionId: string, request: ReturnCredit): Promise<LeaseState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    const { accountId } = request;
    const balance = await lockBalance(client, accountId);
    const lease = await readLease(client, accountId, sessionId);
    if (lease === undefined) return 'fenced';
    if (balance === undefined) return unknownAccount(accountId, 0n, false);
    const unspent = lease.granted - lease.spent;
    const amount = least(request.returnedTotal, unspent) - lease.returned;
    const view = { accountId, sequence: 0n, ...lease, ...balance, refused: false };
    if (amount <= 0n) return leaseState(view);
    await returnLease(client, { accountId, sessionId, transferId: newId(), amount, nowMs: balance.nowMs });
    return leaseState({
      ...view,
      returned: lease.returned + amount,
      available: balance.available + amount,
      leased: balance.leased - amount,
    });
  });
}
