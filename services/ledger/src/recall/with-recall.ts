import type { Pool } from '@tollgate/common/postgres/pool';
import { sessionsWithCredit } from '../store/leases.ts';
import type { RecallRun, Recalls } from './recalls.ts';
import type { RecallScope } from './scope.ts';

export interface Shortfall<State> {
  scope: RecallScope;
  /** The result of the attempt that fell short. */
  state: State;
  /** Tries again: one transaction. */
  attempt: () => Promise<State>;
  /** Whether a state falls short, and other sessions could return enough. */
  isShort: (state: State) => boolean;
  /** Lists the sessions that have credit to return, except the one that needs it. */
  holders: () => Promise<string[]>;
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal;
}

/** A recall older than this when it was joined may have asked sessions before the credit needed now was idle. */
const STALE_AFTER_MS = 50;

/**
 * Recalls what other sessions could return, and tries again as it arrives, for at most the duration of a recall. It holds
 * no connection or lock of the database while it waits. Of several concurrent shortfalls one leads and tries first; the
 * others try once the recall is over, so that two of them do not take each other's credit in turn.
 *
 * @returns the last state: granted, or still short
 */
export async function withRecall<State>(recalls: Recalls, shortfall: Shortfall<State>): Promise<State> {
  if (!recalls.enter()) return shortfall.state;
  try {
    return await recallAndRetry(recalls, shortfall);
  } finally {
    recalls.leave();
  }
}

async function recallAndRetry<State>(recalls: Recalls, shortfall: Shortfall<State>): Promise<State> {
  const patience = AbortSignal.any([shortfall.signal, AbortSignal.timeout(recalls.waitMs)]);
  const givenUp = new Promise<void>((resolve) => {
    patience.addEventListener('abort', () => resolve(), { once: true });
  });
  let { state } = shortfall;
  for (;;) {
    const begun = await recalls.begin(shortfall.scope, shortfall.holders);
    if (begun === undefined) return state;
    const { run, leads } = begun;
    const stale = !leads && performance.now() - run.startedAtMs > STALE_AFTER_MS;
    state = leads ? await lead(recalls, run, shortfall, patience, givenUp) : await follow(run, shortfall, givenUp);
    if (!stale || patience.aborted || !shortfall.isShort(state)) return state;
  }
}

async function lead<State>(
  recalls: Recalls,
  run: RecallRun,
  shortfall: Shortfall<State>,
  deadline: AbortSignal,
  timedOut: Promise<void>,
): Promise<State> {
  try {
    for (;;) {
      await Promise.race([run.nextReturn(), timedOut]);
      if (shortfall.signal.aborted) return shortfall.state;
      const last = run.over || deadline.aborted;
      const state = await shortfall.attempt();
      if (last || !shortfall.isShort(state)) return state;
    }
  } finally {
    recalls.finish(run);
  }
}

async function follow<State>(run: RecallRun, shortfall: Shortfall<State>, givenUp: Promise<void>): Promise<State> {
  await Promise.race([run.ended, givenUp]);
  return shortfall.signal.aborted ? shortfall.state : shortfall.attempt();
}

export interface RecallCreditOptions {
  /** The account owes money: sessions must make no new hold for it. */
  suspended: boolean;
  /** Sessions whose last heartbeat is older are not asked. */
  sessionTtlMs: number;
}

/**
 * Asks all live sessions to return an account's credit that is neither spent nor held. Resolves when all have answered and
 * their returns are committed, or when the time for a recall has passed. Do not call it within a transaction on the
 * account: the returns need its lock.
 */
export async function recallCredit(
  pool: Pool,
  recalls: Recalls,
  accountId: string,
  { suspended, sessionTtlMs }: RecallCreditOptions,
): Promise<void> {
  const kind = suspended ? 'suspended' : 'credit';
  const holders = () => sessionsWithCredit(pool, accountId, undefined, sessionTtlMs);
  const begun = await recalls.begin({ kind, accountId }, holders);
  await begun?.run.ended;
}
