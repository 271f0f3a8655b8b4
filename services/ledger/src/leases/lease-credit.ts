import { newId } from '@tollgate/common/ids';
import { minBigInt } from '@tollgate/common/money';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { AcquireCredit, LeaseState, ReturnCredit } from '@tollgate/proto/ledger';
import { lockBalance } from '../store/balances.ts';
import { readOpenCapLease, returnCapPart } from '../store/cap-leases.ts';
import type { Cap } from '../store/caps.ts';
import { grantLease, readLease, readOpenLease, returnLease } from '../store/leases.ts';
import { grantSize } from './grant-size.ts';
import { leaseState, unknownAccount } from './lease-state.ts';

/**
 * Grows a session's lease until its cumulative grant reaches what is needed, all or nothing. A repeated request finds the
 * grant made, and a request older than the last granted one gets nothing more, so no need is met twice.
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

/**
 * Takes back unspent credit of a session's lease, up to the given cumulative total and at most its remaining credit.
 *
 * @returns 'fenced' when the session may not be used: all of its credit is or will be freed
 */
export function returnCredit(pool: Pool, sessionId: string, request: ReturnCredit): Promise<LeaseState | 'fenced'> {
  return inTransaction(pool, async (client) => {
    const { accountId } = request;
    const balance = await lockBalance(client, accountId);
    const lease = await readLease(client, accountId, sessionId);
    if (lease === undefined) return 'fenced';
    if (balance === undefined) return unknownAccount(accountId, 0n, false);
    const unspent = lease.granted - lease.spent;
    const amount = minBigInt(request.returnedTotal, unspent) - lease.returned;
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

export interface Release {
  sessionId: string;
  accountId: string;
  /** Frees a part of this cap instead of credit. */
  cap: Cap | undefined;
  keepNanos: bigint;
  /** The database whose acknowledgements the amount to keep is based on. */
  databaseId: string;
}

/**
 * Frees the credit of a session beyond what it keeps; the session makes no new holds. Does nothing to an ended session, which
 * is freed completely. A session opened before a restore may still be charged and keeps what it needs as well.
 *
 * @returns false if this is another database: it may be missing charges that the ingress no longer keeps credit for
 */
export function releaseCredit(pool: Pool, release: Release): Promise<boolean> {
  const { sessionId, accountId, cap, keepNanos } = release;
  return inTransaction(pool, async (client) => {
    const balance = await lockBalance(client, accountId);
    const lease =
      cap === undefined
        ? await readOpenLease(client, sessionId, accountId)
        : await readOpenCapLease(client, sessionId, cap);
    if (lease !== undefined && lease.databaseId !== release.databaseId) return false;
    const amount = (lease?.remainingNanos ?? 0n) - keepNanos;
    if (balance === undefined || amount <= 0n) return true;
    if (cap === undefined) {
      await returnLease(client, { accountId, sessionId, transferId: newId(), amount, nowMs: balance.nowMs });
    } else await returnCapPart(client, cap, sessionId, amount);
    return true;
  });
}
