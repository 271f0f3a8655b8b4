import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { inTransaction, type Pool } from '@tollgate/common/postgres/pool';
import { payDebt } from '../deposits/debts.ts';
import { creditExpired, creditExpiring, recordSuspensionChange } from '../events/account-events.ts';
import { crossThresholds } from '../events/thresholds.ts';
import type { Recalls } from '../recall/recalls.ts';
import { recallCredit } from '../recall/with-recall.ts';
import { lockBalance } from '../store/balances.ts';
import { insertEvents, type NewEvent } from '../store/events.ts';
import { type DueLot, dueLots, moveToBreakage, readLots, writeLots } from '../store/lots.ts';
import { withRetries } from '../store/retry.ts';
import { dueStep } from './lot-ends.ts';

/** Lots read at once. */
const PAGE_SIZE = 100;
/** Pages of one run; the next run continues. */
const MAX_PAGES = 100;

export interface EndLotsContext {
  pool: Pool;
  recalls: Recalls;
  /** Sessions whose last heartbeat is older are not asked for idle credit. */
  sessionTtlMs: number;
  logger: Logger;
}

/**
 * Gives notice of lots that end soon, and ends those whose time has come. Several replicas may run this concurrently: each account
 * is looked at again under the lock of its balance.
 */
export async function endLots(context: EndLotsContext, signal: AbortSignal): Promise<void> {
  let after: DueLot | undefined;
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page += 1) {
    const lots: DueLot[] = await dueLots(context.pool, after, PAGE_SIZE);
    const accounts = new Set(lots.map(({ accountId }) => accountId));
    for (const accountId of accounts) {
      const recalls = lots.some((lot) => lot.accountId === accountId && lot.endsNow);
      await endOne(context, accountId, recalls);
    }
    after = lots.at(-1);
    if (lots.length < PAGE_SIZE) return;
  }
}

/** An account that fails holds up no other one. */
async function endOne(context: EndLotsContext, accountId: string, recallsFirst: boolean): Promise<void> {
  const { pool, recalls, sessionTtlMs, logger } = context;
  try {
    // Once for each end: what is idle later comes back by itself.
    if (recallsFirst) await recallCredit(pool, recalls, accountId, { suspended: false, sessionTtlMs });
    await withRetries(() => endLotsOf(pool, accountId));
  } catch (error) {
    logger.error({ err: error, account_id: accountId }, 'lots of an account could not be ended');
  }
}

/** Does what is due about the ends of an account's lots. */
export function endLotsOf(pool: Pool, accountId: string): Promise<void> {
  return inTransaction(pool, async (client) => {
    const before = await lockBalance(client, accountId);
    if (before === undefined) return;
    const { leased, nowMs } = before;
    const book = await readLots(client, accountId);
    const isEnding = book.lots.some((lot) => dueStep(lot, 0n, nowMs)?.kind === 'end');
    // A debt takes what is available before it ends.
    const after = isEnding ? await payDebt(client, accountId, before, book) : before;
    const shares = book.leasedShares(leased);
    const events: NewEvent[] = [];
    for (const lot of book.lots) {
      const step = dueStep(lot, shares.get(lot) ?? 0n, nowMs);
      if (step === undefined) continue;
      book.postpone(lot, step.dueAtMs);
      if (step.kind === 'notice') events.push(creditExpiring(accountId, lot));
      if (step.kind !== 'end' || step.amount === 0n) continue;
      const isFirst = lot.expired === 0n;
      book.expire(lot, step.amount);
      await moveToBreakage(client, { accountId, transferId: newId(), lotId: lot.lotId, amount: step.amount, nowMs });
      // The first time and the last.
      if (isFirst || lot.remaining === 0n) events.push(creditExpired(accountId, lot));
    }
    await writeLots(client, accountId, book);
    if (events.length > 0) await insertEvents(client, events, nowMs);
    await recordSuspensionChange(client, accountId, before, after);
    await crossThresholds(client, [accountId], nowMs);
  });
}
