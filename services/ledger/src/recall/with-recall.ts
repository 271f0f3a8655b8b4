import type { Pool } from '@tollgate/common/postgres/pool';
import { sessionsWithCover } from '../store/leases.ts';
import type { RecallRun, Recalls } from './recalls.ts';
import type { RecallScope } from './scope.ts';

export interface Shortage<State> {
  scope: RecallScope;
  /** What the attempt that fell short gave. */
  state: State;
  /** Tries again: one transaction. */
  attempt: () => Promise<State>;
  /** Whether a state still falls short of what others could give back. */
  isShort: (state: State) => boolean;
  /** Names the sessions that have something to return, the asking one left out. */
  holders: () => Promise<string[]>;
  /** Aborts when nobody waits for the outcome any more. */
  signal: AbortSignal;
}

/** A recall that began longer ago than this when it was joined may have asked before what is needed now was free. */
const STALE_MS = 50;

/**
 * Recalls what others could give back, and tries again as it comes, at most as long as a recall may run. Nothing of the
 * database is held while it waits. Of several that fall short at a time one leads and tries first; the others try once it
 * is over, so that two of them do not take each other's part over and over.
 *
 * @returns the last state: met, or short still
 */
export async function withRecall<State>(recalls: Recalls, shortage: Shortage<State>): Promise<State> {
  if (!recalls.enter()) return shortage.state;
  try {
    return await recallAndRetry(recalls, shortage);
  } finally {
    recalls.leave();
  }
}

async function recallAndRetry<State>(recalls: Recalls, shortage: Shortage<State>): Promise<State> {
  const patience = AbortSignal.any([shortage.signal, AbortSignal.timeout(recalls.waitMs)]);
  const givenUp = new Promise<void>((resolve) => {
    patience.addEventListener('abort', () => resolve(), { once: true });
  });
  let { state } = shortage;
  for (;;) {
    const begun = await recalls.begin(shortage.scope, shortage.holders);
    if (begun === undefined) return state;
    const { run, leads } = begun;
    const stale = !leads && performance.now() - run.startedAtMs > STALE_MS;
    state = leads ? await lead(recalls, run, shortage, patience, givenUp) : await follow(run, shortage, givenUp);
    if (!stale || patience.aborted || !shortage.isShort(state)) return state;
  }
}

async function lead<State>(
  recalls: Recalls,
  run: RecallRun,
  shortage: Shortage<State>,
  patience: AbortSignal,
  givenUp: Promise<void>,
): Promise<State> {
  try {
    for (;;) {
      await Promise.race([run.step(), givenUp]);
      if (shortage.signal.aborted) return shortage.state;
      const last = run.over || patience.aborted;
      const state = await shortage.attempt();
      if (last || !shortage.isShort(state)) return state;
    }
  } finally {
    recalls.finish(run);
  }
}

async function follow<State>(run: RecallRun, shortage: Shortage<State>, givenUp: Promise<void>): Promise<State> {
  await Promise.race([run.ended, givenUp]);
  return shortage.signal.aborted ? shortage.state : shortage.attempt();
}

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
