import type { AccountContext } from '../account-credit.ts';
import type { OpenHold } from '../open-hold.ts';
import type { CreditSession } from '../session.ts';
import type { CappedKey, CreditLimits, HoldRequest, HoldResult } from '../types.ts';
import type { CapContext, CapCredit, TakenOfCap } from './cap-credit.ts';

/** A request of a key that has caps. */
export type CappedRequest = HoldRequest & { capped: CappedKey };

export interface CappedHoldsOptions {
  limits: CreditLimits;
  /** What accounts and caps of the session are given. */
  context: AccountContext;
  capContext: CapContext;
  session: () => CreditSession;
  /** Makes the hold once more from its beginning, after `sessions` changes of session. */
  again: (request: CappedRequest, sessions: number) => HoldResult<OpenHold> | Promise<HoldResult<OpenHold>>;
}

/** What is left of the time to wait is never less than this for each thing that is waited for. */
const LEAST_WAIT_MS = 250;

/** Changes of session that one request is carried over. */
const MOST_SESSIONS = 3;

/**
 * Makes holds of keys with spending caps: as much is taken of each cap as of the account, or nothing of any. The order is
 * always the same, the account last, so that requests never wait for each other in a circle, and one that waits for its
 * key's caps holds nothing that other keys could use.
 */
export class CappedHolds {
  readonly #options: CappedHoldsOptions;

  constructor(options: CappedHoldsOptions) {
    this.#options = options;
  }

  /** Takes a hold at once if all leases suffice and nobody waits before; else nothing. */
  tryHold(request: CappedRequest): OpenHold | undefined {
    const { context, session } = this.#options;
    const { accountId, maxNanos } = request;
    const caps = this.#capsOf(request);
    const account = session().account(accountId, context);
    const taken = countWhile(caps, (cap) => cap.tryTake(maxNanos));
    if (taken === caps.length && account.tryHold(maxNanos)) {
      const hold = context.holdOf(account, maxNanos);
      hold.under(caps);
      return hold;
    }
    for (const cap of caps.slice(0, taken)) cap.end(maxNanos, 0n);
    return undefined;
  }

  /** Requests that wait for one of the caps, for the one with the most. */
  waiting(request: CappedRequest): number {
    return Math.max(0, ...this.#capsOf(request).map((cap) => cap.waiting));
  }

  /**
   * Waits in line for each of the caps and then for the account, within one limit of time.
   *
   * @param sessions changes of session the request was carried over so far
   */
  async wait(request: CappedRequest, sessions: number): Promise<HoldResult<OpenHold>> {
    const taken: TakenOfCap[] = [];
    const result = await this.#takeAll(request, taken);
    if (result.kind !== 'held') {
      for (const { cap, nanos } of taken) cap.end(nanos, 0n);
      return result;
    }
    const { hold } = result;
    const elsewhere = taken.some(({ cap }) => cap.session !== hold.account.session);
    for (const { cap, nanos } of taken) cap.end(elsewhere ? nanos : nanos - hold.nanos, 0n);
    if (!elsewhere) {
      hold.under(taken.map(({ cap }) => cap));
      return result;
    }
    // Another session began meanwhile. A charge belongs to one session, and so must all that it was held under.
    hold.release();
    if (sessions + 1 >= MOST_SESSIONS) return { kind: 'unavailable', reason: 'session' };
    return this.#options.again(request, sessions + 1);
  }

  async #takeAll(request: CappedRequest, taken: TakenOfCap[]): Promise<HoldResult<OpenHold>> {
    const { context, limits, session } = this.#options;
    const deadline = context.nowMs() + limits.waitMs;
    const left = () => Math.max(LEAST_WAIT_MS, deadline - context.nowMs());
    let maxNanos = request.maxNanos;
    // Looked up anew each time, as another session may have begun during a wait.
    for (let caps = this.#capsOf(request); ; caps = this.#capsOf(request)) {
      const cap = caps[taken.length];
      if (cap === undefined) break;
      const result = await takeOf(cap, { ...request, maxNanos }, left());
      if (result.kind !== 'held') {
        context.waiterDone(result);
        return result;
      }
      maxNanos = result.hold.nanos;
      taken.push(result.hold);
    }
    const account = session().account(request.accountId, context);
    if (!request.signal.aborted && account.tryHold(maxNanos)) {
      const result = { kind: 'held', hold: context.holdOf(account, maxNanos) } as const;
      context.waiterDone(result);
      return result;
    }
    if (!request.signal.aborted) return account.wait({ ...request, maxNanos }, left());
    context.waiterDone({ kind: 'aborted' });
    return { kind: 'aborted' };
  }

  #capsOf({ accountId, capped }: CappedRequest): CapCredit[] {
    return this.#options.session().caps.of(accountId, capped, this.#options.capContext);
  }
}

async function takeOf(cap: CapCredit, request: CappedRequest, waitMs: number): Promise<HoldResult<TakenOfCap>> {
  if (request.signal.aborted) return { kind: 'aborted' };
  const { maxNanos: nanos } = request;
  if (cap.tryTake(nanos)) return { kind: 'held', hold: { cap, nanos } };
  const result = await cap.take(request, waitMs);
  const { period, startMs } = cap.cap;
  if (result.kind === 'busy') return { ...result, cap: period };
  if (result.kind !== 'insufficient') return result;
  const leftNanos = result.balanceNanos;
  return { kind: 'capped', cap: { period, startMs, limitNanos: cap.limitNanos, leftNanos } };
}

/** How many of the first items meet the condition, which is asked of no item after one that does not. */
function countWhile<T>(items: readonly T[], condition: (item: T) => boolean): number {
  const first = items.findIndex((item) => !condition(item));
  return first === -1 ? items.length : first;
}
