import { newId } from '@tollgate/common/ids';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import type { Cap } from '../settle/sum-caps.ts';
import { lockBalance } from '../store/lock-balance.ts';
import { readOpenCapCover, readOpenCover } from '../store/read-open-cover.ts';
import { returnCapPart } from '../store/return-cap.ts';
import { returnLease } from '../store/return-lease.ts';

export interface Release {
  sessionId: string;
  accountId: string;
  /** Frees a part of this cap instead of credit. */
  cap: Cap | undefined;
  keepNanos: bigint;
  /** The database by whose acknowledgements the ingress counted what it keeps. */
  databaseId: string;
}

/**
 * Frees what a session covers beyond what it keeps, where it makes no new holds. Does nothing to one that has ended, which
 * is freed as a whole. A session of before a restore may still be charged, and so keeps what it needs, too.
 *
 * @returns false where another database answers: it may lack charges that the ingress does not keep credit for
 */
export function releaseCredit(pool: Pool, release: Release): Promise<boolean> {
  const { sessionId, accountId, cap, keepNanos } = release;
  return inTransaction(pool, async (client) => {
    const balance = await lockBalance(client, accountId);
    const covered =
      cap === undefined
        ? await readOpenCover(client, sessionId, accountId)
        : await readOpenCapCover(client, sessionId, cap);
    if (covered !== undefined && covered.databaseId !== release.databaseId) return false;
    const amount = (covered?.coverNanos ?? 0n) - keepNanos;
    if (balance === undefined || amount <= 0n) return true;
    if (cap === undefined) {
      await returnLease(client, { accountId, sessionId, transferId: newId(), amount, nowMs: balance.nowMs });
    } else await returnCapPart(client, cap, sessionId, amount);
    return true;
  });
}
