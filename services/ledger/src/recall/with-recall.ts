import type { Pool } from '@tollgate/common/postgres/pool';
import { sessionsWithCredit } from '../store/leases.ts';
import type { RecallRun, Recalls } from './recalls.ts';
import { type RecallScope, scopeText } from './scope.ts';

export interface RecallRequest {
  scope: RecallScope;
  /** Lists the sessions that have credit to return, except the one that needs it. */
  holders: () => Promise<string[]>;
}

export interface Shortfall<State> {
  /** The result of the attempt that fell short. */
  state: State;
  /** Tries again: one transaction. */
  attempt: () => Promise<State>;
  /** What a state falls short of, if other sessions could return enough of everything it falls short of. */
  shortOf: (state: State) => RecallRequest | undefined;
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal;
}

/**
 * Recalls what other sessions could return, and tries again after each return, for at most the duration of a recall. What
 * falls short of several ceilings has one after the other recalled, within the same time. It holds no connection or lock of
 * the database while it waits.
 *
 * @returns the last state: granted, or still short
 */
export async function withRecall<State>(recalls: Recalls, shortfall: Shortfall<State>): Promise<State> {
  if (!recalls.enter()) return shortfall.state;
  const { attempt, shortOf, signal } = shortfall;
  let { state } = shortfall;
  const patience = createPatience(recalls.waitMs, signal);
  const isShortOf = (text: string) => {
    const request = shortOf(state);
    return request !== undefined && scopeText(request.scope) === text;
  };
  const retry = async (text: string, run: RecallRun): Promise<boolean> => {
    let next = run.nextReturn;
    for (;;) {
      await Promise.race([next, patience.ended]);
      if (signal.aborted) return true;
      const last = run.over || patience.signal.aborted;
      // Taken before the attempt, which may miss a return that is committed meanwhile.
      next = run.nextReturn;
      state = await attempt();
      if (last || !isShortOf(text)) return !isShortOf(text);
    }
  };
  try {
    for (let request = shortOf(state); request !== undefined; request = shortOf(state)) {
      const text = scopeText(request.scope);
      await takePart(recalls, request, (run) => retry(text, run), patience);
      if (patience.signal.aborted || isShortOf(text)) break;
    }
  } finally {
    recalls.leave();
  }
  return state;
}

interface Patience {
  signal: AbortSignal;
  /** Resolves when the signal aborts. */
  ended: Promise<void>;
}

/**
 * Takes part in recalls of a scope until one has asked every session after this call, and all have answered, or until the
 * time for a recall has passed. A recall that was joined may have asked a session before the credit needed now was idle, or
 * ends before all have answered, because the shortfall that started it was met: then another one follows.
 *
 * @param use waits for what it needs of a recall; true when it needs no more
 */
async function takePart(
  recalls: Recalls,
  { scope, holders }: RecallRequest,
  use: (run: RecallRun) => Promise<boolean>,
  patience: Patience,
): Promise<void> {
  const startedAtMs = performance.now();
  for (;;) {
    const begun = await recalls.begin(scope, holders);
    if (begun === undefined) return;
    const { run, leads } = begun;
    try {
      if (await use(run)) return;
    } finally {
      if (leads) recalls.finish(run);
    }
    if (leads || patience.signal.aborted || (run.allAnswered && run.startedAtMs >= startedAtMs)) return;
  }
}

function createPatience(waitMs: number, abandoned?: AbortSignal): Patience {
  const timeout = AbortSignal.timeout(waitMs);
  const signal = abandoned === undefined ? timeout : AbortSignal.any([abandoned, timeout]);
  const ended = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return { signal, ended };
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
  const request = recallOf(pool, { accountId, cap: undefined, suspended }, undefined, sessionTtlMs);
  const patience = createPatience(recalls.waitMs);
  const use = async (run: RecallRun) => {
    await Promise.race([run.ended, patience.ended]);
    return false;
  };
  await takePart(recalls, request, use, patience);
}

/** The recall of a scope from all live sessions, except one that needs it. */
export function recallOf(
  pool: Pool,
  scope: RecallScope,
  except: string | undefined,
  sessionTtlMs: number,
): RecallRequest {
  return { scope, holders: () => sessionsWithCredit(pool, scope, except, sessionTtlMs) };
}
