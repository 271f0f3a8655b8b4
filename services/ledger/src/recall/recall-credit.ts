import type { Pool } from '@tollgate/common/postgres/pool';
import { sessionsWithCover } from '../store/sessions-with-cover.ts';
import type { Recalls } from './recalls.ts';

export interface RecallCreditOptions {
  /** The account owes money: no new hold may be made for it. */
  suspended: boolean;
  /** As in the settings: a session without a heartbeat for so long is not asked. */
  sessionTtlMs: number;
}

/**
 * Asks all sessions that live to return what is unspent and unheld of an account's credit. Resolves when all have
 * answered, what they returned being committed, or when the time for a recall has passed. Not to be called with a
 * transaction open on the account: the returns need its lock.
 */
export async function recallCredit(
  pool: Pool,
  recalls: Recalls,
  accountId: string,
  { suspended, sessionTtlMs }: RecallCreditOptions,
): Promise<void> {
  const kind = suspended ? 'suspended' : 'credit';
  const holders = () => sessionsWithCover(pool, accountId, undefined, sessionTtlMs);
  const begun = await recalls.begin({ kind, accountId }, holders);
  await begun?.run.ended;
}
