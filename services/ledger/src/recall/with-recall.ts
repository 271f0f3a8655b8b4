import type { Pool } from '@tollgate/common/postgres/pool';
import { sessionsWithCredit } from '../store/leases.ts';
import type { RecallRun, Recalls } from './recalls.ts';
import type { RecallScope } from './scope.ts';

export interface RecallRequest {
  scope: RecallScope;
  /** Lists the sessions that have credit to return, except the one that needs it. */
  holders: () => Promise<string[]>;
}

export interface Shortfall<State> extends RecallRequest {
  /** The result of the attempt that fell short. */
  state: State;
  /** Tries again: one transaction. */
  attempt: () => Promise<State>;
  /** Whether a state falls short, and other sessions could return enough. */
  isShort: (state: State) => boolean;
  /** Aborts when the result is no longer needed. */
  signal: AbortSignal;
}

/**
 * Recalls what other sessions could return, and tries again after each return, for at most the duration of a recall. It
 * holds no connection or lock of the database while it waits.
 *
 * @returns the last state: granted, or still short
 */
export async function withRecall<State>(recalls: Recalls, shortfall: Shortfall<State>): Promise<State> {
  if (!recalls.enter()) return shortfall.state;
  const { attempt, isShort, signal } = shortfall;
  let { state } = shortfall;
  const retry = async (run: RecallRun, patience: Patience): Promise<boolean> => {
    let next = run.nextReturn;
    for (;;) {
      await Promise.race([next, patience.ended]);
      if (signal.aborted) return true;
      const last = run.over || patience.signal.aborted;
      // Taken before the attempt, which may miss a return that is committed meanwhile.
      next = run.nextReturn;
      state = await attempt();
      if (last || !isShort(state)) return !isShort(state);
    }
  };
  try {
    await takePart(recalls, shortfall, retry, signal);
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
  use: (run: RecallRun, patience: Patience) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<void> {
  const startedAtMs = performance.now();
  const patience = createPatience(recalls.waitMs, signal);
  for (;;) {
    const begun = await recalls.begin(scope, holders);
    if (begun === undefined) return;
    const { run, leads } = begun;
    try {
      if (await use(run, patience)) return;
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
  const scope = { kind: suspended ? 'suspended' : 'credit', accountId } as const;
  const holders = () => sessionsWithCredit(pool, accountId, undefined, sessionTtlMs);
  await takePart(recalls, { scope, holders }, async (run, patience) => {
    await Promise.race([run.ended, patience.ended]);
    return false;
  });
}
