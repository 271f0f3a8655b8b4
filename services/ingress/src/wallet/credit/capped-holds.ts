import type { AccountContext } from './account-credit.ts';
import type { CapContext, CapCredit, CapHold } from './cap-credit.ts';
import type { OpenHold } from './open-hold.ts';
import type { CreditSession } from './session.ts';
import type { CappedKey, CreditLimits, HoldRequest, HoldResult } from './types.ts';

/** A request of a key that has caps. */
export type CappedRequest = HoldRequest & { capped: CappedKey };

export interface CappedHoldsOptions {
  limits: CreditLimits;
  /** Passed to accounts of the session, `capContext` to its caps. */
  context: AccountContext<OpenHold>;
  capContext: CapContext;
  session: () => CreditSession;
  /** Makes the hold again from the beginning, after `sessions` changes of session. */
  retry: (request: CappedRequest, sessions: number) => HoldResult<OpenHold> | Promise<HoldResult<OpenHold>>;
}

/** Each cap, and the account, is waited for at least this long. */
const MIN_WAIT_MS = 250;

/** Changes of session that one request survives. */
const MAX_SESSIONS = 3;

/**
 * Makes holds for keys with spending caps: the same amount of each cap and of the account, or nothing. The order is always
 * the same, the account last, so that requests cannot deadlock, and one that waits for its key's caps holds nothing that
 * other keys could use.
 */
export class CappedHolds {
  readonly #options: CappedHoldsOptions;

  constructor(options: CappedHoldsOptions) {
    this.#options = options;
  }

  /** Takes a hold at once if all leases suffice and no request waits; otherwise nothing. */
  tryHold(request: CappedRequest): OpenHold | undefined {
    const { context, session } = this.#options;
    const { accountId, maxNanos } = request;
    const caps = this.#capsOf(request);
    const account = session().account(accountId, context);
    const taken = countWhile(caps, (cap) => cap.tryHold(maxNanos));
    if (taken === caps.length && account.tryHold(maxNanos)) {
      const hold = context.createHold(account, maxNanos);
      hold.attachCaps(caps);
      return hold;
    }
    for (const cap of caps.slice(0, taken)) cap.endHold(maxNanos, 0n);
    return undefined;
  }

  /** Number of requests that wait for the cap with the longest queue. */
  waiting(request: CappedRequest): number {
    return Math.max(0, ...this.#capsOf(request).map((cap) => cap.waiting));
  }

  /**
   * Queues for each of the caps and then for the account, within one time limit.
   *
   * @param sessions changes of session that the request has survived so far
   */
  async wait(request: CappedRequest, sessions: number): Promise<HoldResult<OpenHold>> {
    const taken: CapHold[] = [];
    const result = await this.#holdAll(request, taken);
    if (result.kind !== 'held') {
      for (const { cap, nanos } of taken) cap.endHold(nanos, 0n);
      return result;
    }
    const { hold } = result;
    const sessionChanged = taken.some(({ cap }) => cap.session !== hold.account.session);
    for (const { cap, nanos } of taken) cap.endHold(sessionChanged ? nanos : nanos - hold.nanos, 0n);
    if (!sessionChanged) {
      hold.attachCaps(taken.map(({ cap }) => cap));
      return result;
    }
    // Another session began meanwhile. A charge belongs to one session, and so must everything it is held under.
    hold.release();
    if (sessions + 1 >= MAX_SESSIONS) return { kind: 'unavailable', reason: 'session' };
    return this.#options.retry(request, sessions + 1);
  }

  async #holdAll(request: CappedRequest, taken: CapHold[]): Promise<HoldResult<OpenHold>> {
    const { context, limits, session } = this.#options;
    const deadline = context.nowMs() + limits.waitMs;
    const left = () => Math.max(MIN_WAIT_MS, deadline - context.nowMs());
    let maxNanos = request.maxNanos;
    // Looked up again each time, as another session may have begun during a wait.
    for (let caps = this.#capsOf(request); ; caps = this.#capsOf(request)) {
      const cap = caps[taken.length];
      if (cap === undefined) break;
      const result = await holdCap(cap, { ...request, maxNanos }, left());
      if (result.kind !== 'held') {
        context.waiterFinished(result);
        return result;
      }
      maxNanos = result.hold.nanos;
      taken.push(result.hold);
    }
    const account = session().account(request.accountId, context);
    if (!request.signal.aborted && account.tryHold(maxNanos)) {
      const result = { kind: 'held', hold: context.createHold(account, maxNanos) } as const;
      context.waiterFinished(result);
      return result;
    }
    if (!request.signal.aborted) return account.wait({ ...request, maxNanos }, left());
    context.waiterFinished({ kind: 'aborted' });
    return { kind: 'aborted' };
  }

  #capsOf({ accountId, capped }: CappedRequest): CapCredit[] {
    return this.#options.session().caps.capsFor(accountId, capped, this.#options.capContext);
  }
}

async function holdCap(cap: CapCredit, request: CappedRequest, waitMs: number): Promise<HoldResult<CapHold>> {
  if (request.signal.aborted) return { kind: 'aborted' };
  const { maxNanos: nanos } = request;
  if (cap.tryHold(nanos)) return { kind: 'held', hold: { cap, nanos } };
  const result = await cap.waitForHold(request, waitMs);
  const { period, startMs } = cap.cap;
  if (result.kind === 'busy') return { ...result, cap: period };
  if (result.kind !== 'insufficient') return result;
  const leftNanos = result.balanceNanos;
  return { kind: 'capped', cap: { period, startMs, limitNanos: cap.limitNanos, leftNanos } };
}

/** Length of the leading run of items that meet the condition, which is not evaluated beyond it. */
function countWhile<T>(items: readonly T[], condition: (item: T) => boolean): number {
  const first = items.findIndex((item) => !condition(item));
  return first === -1 ? items.length : first;
}
