import type { LeaseState } from '@tollgate/proto/ledger';
import { Backoff } from '../../../common/src/backoff.ts';
import { AccountLease, smaller } from './lease.ts';
import type { OpenHold } from './open-hold.ts';
import type { CreditLimits, HoldRequest, HoldResult, UnavailableReason } from './types.ts';

/** What an account's credit needs of the desk; a hold is what `holdOf` makes of credit taken. */
export interface AccountContext<Held = OpenHold> {
  readonly limits: CreditLimits;
  nowMs(): number;
  /** The sequence of the session's latest acquire. */
  lastSequence(): bigint;
  /** Sends an acquire of the given lack, `ahead` of need or for a request that waits; false while there is no stream. */
  acquire(lease: AccountLease, lackNanos: bigint, ahead: boolean): boolean;
  /** Sends the lease's returned total; false while there is no stream. */
  sendReturn(lease: AccountLease): boolean;
  streamUp(): boolean;
  /** Why no hold can be made now; undefined when one can. */
  refusal(): UnavailableReason | undefined;
  /** Makes the hold object for credit just taken from the lease. */
  holdOf(account: AccountCredit<Held>, nanos: bigint): Held;
  /** A request that waited has its result. */
  waiterDone(result: HoldResult<Held>): void;
}

/** What an account's holds count in their session. */
export interface SessionOfAccount {
  readonly id: string;
  openHolds: number;
  unsettled: number;
  /** Nothing more will be held or settled under it. */
  readonly finished: boolean;
}

interface Waiter<Held> {
  request: HoldRequest;
  /** Where it waits now; a change of session moves it. */
  account: AccountCredit<Held>;
  /** Only answers to acquires after this one tell the balance as it was since the request came. */
  freshAfter: bigint;
  /** Such an answer has come. */
  judged: boolean;
  finish: (result: HoldResult<Held>) => void;
}

/** Background acquires begin when fewer than this many recent holds are free, and aim at twice as many. */
const LOW_WATER_HOLDS = 4n;
const BACKGROUND_PAUSE_MS = 1_000;
/** An acquire without an answer for this long is given up. */
const ACQUIRE_TIMEOUT_MS = 2_000;
/** Unmet answers in a row that may be followed by another ask at once. */
const QUICK_ASKS = 3;

/** One account's credit in one session: its lease, the requests that wait for it in order, and the asking for more. */
export class AccountCredit<Held = OpenHold> {
  readonly lease: AccountLease;
  readonly session: SessionOfAccount;
  /** What the ledger was last told, and confirmed, to be held. */
  reportedHeldNanos = 0n;
  readonly #context: AccountContext<Held>;
  readonly #waiters = new Set<Waiter<Held>>();
  #backoff: Backoff | undefined;
  #reask: NodeJS.Timeout | undefined;
  #askNotBeforeMs = 0;
  #unmetAnswers = 0;
  #recentHoldNanos = 0n;
  #renewNotBeforeMs = 0;
  #lastUsedMs: number;
  #suspended = false;
  /** Credit was granted that is not known here, and is asked about. */
  #learning = false;

  constructor(accountId: string, session: SessionOfAccount, context: AccountContext<Held>) {
    this.lease = new AccountLease(accountId);
    this.session = session;
    this.#context = context;
    this.#lastUsedMs = context.nowMs();
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Whether the ledger said that the account owes money. The next request asks again. */
  get suspended(): boolean {
    return this.#suspended;
  }

  /** Takes a hold at once if the lease suffices and nobody waits before. */
  tryHold(nanos: bigint): boolean {
    if (this.#suspended || this.#waiters.size > 0 || !this.lease.tryHold(nanos)) return false;
    this.#lastUsedMs = this.#context.nowMs();
    this.#recentHoldNanos =
      this.#recentHoldNanos === 0n ? nanos : this.#recentHoldNanos + ((nanos - this.#recentHoldNanos) >> 3n);
    if (this.lease.freeNanos < this.#recentHoldNanos * LOW_WATER_HOLDS) this.#renew();
    return true;
  }

  /** Waits in line for credit, up to the time limit. */
  wait(request: HoldRequest, waitMs = this.#context.limits.waitMs): Promise<HoldResult<Held>> {
    return new Promise((resolve) => this.#enqueue(request, waitMs, resolve));
  }

  #enqueue(request: HoldRequest, waitMs: number, resolve: (result: HoldResult<Held>) => void): void {
    const waiter: Waiter<Held> = {
      request,
      account: this,
      freshAfter: this.#context.lastSequence(),
      judged: false,
      finish: (result) => {
        clearTimeout(timer);
        request.signal.removeEventListener('abort', aborted);
        resolve(result);
      },
    };
    const aborted = () => waiter.account.#leave(waiter, { kind: 'aborted' });
    const timedOut = () => waiter.account.#leave(waiter, waiter.account.#timedOut(waiter));
    // A busy process may be late with the timer and have the ledger's answer unread: that is taken in first.
    const timer = setTimeout(() => setImmediate(timedOut), waitMs);
    request.signal.addEventListener('abort', aborted, { once: true });
    this.#waiters.add(waiter);
    this.#lastUsedMs = this.#context.nowMs();
    this.pump();
  }

  #done(waiter: Waiter<Held>, result: HoldResult<Held>): void {
    this.#waiters.delete(waiter);
    this.#context.waiterDone(result);
    waiter.finish(result);
  }

  /** Ends one wait without a hold; those behind it may fit. */
  #leave(waiter: Waiter<Held>, result: HoldResult<Held>): void {
    if (!this.#waiters.has(waiter)) return;
    this.#done(waiter, result);
    this.pump();
  }

  #timedOut(waiter: Waiter<Held>): HoldResult<Held> {
    const reason = this.#context.refusal();
    if (reason !== undefined) return { kind: 'unavailable', reason };
    if (!waiter.judged) return { kind: 'unavailable', reason: 'ledger' };
    return { kind: 'busy', retryAfterMs: this.#context.limits.retryAfterMs };
  }

  /** Ends all waits with one result. */
  refuseAll(result: HoldResult<Held>): void {
    clearTimeout(this.#reask);
    for (const waiter of this.#waiters) this.#done(waiter, result);
  }

  /** Hands the requests that wait over to the same account in another session. */
  moveWaitersTo(other: AccountCredit<Held>): void {
    clearTimeout(this.#reask);
    for (const waiter of this.#waiters) {
      waiter.account = other;
      waiter.judged = false;
      other.#waiters.add(waiter);
    }
    this.#waiters.clear();
    other.pump();
  }

  /** Ends a hold and lets those who wait use what came free. */
  endHold(heldNanos: bigint, chargedNanos: bigint): void {
    this.lease.endHold(heldNanos, chargedNanos);
    if (this.#waiters.size > 0) this.pump();
  }

  /** Takes in a state from the ledger. */
  applyState(state: LeaseState): void {
    const answer = this.lease.applyState(state);
    if (state.suspended) this.#suspend();
    else if (answer) this.#suspended = false;
    if (answer) this.#answered(state);
    this.pump();
    if (answer && this.#learning) this.#learnt();
    else if (this.lease.isMissing(state)) this.#learning = this.#context.acquire(this.lease, 0n, true);
  }

  /** Gives back the credit that was not known here, where nobody waits for it: another ingress lacks it, or may. */
  #learnt(): void {
    this.#learning = false;
    if (this.#waiters.size > 0) return;
    this.#renewNotBeforeMs = this.#context.nowMs() + BACKGROUND_PAUSE_MS;
    this.returnFree();
  }

  #answered(state: LeaseState): void {
    const now = this.#context.nowMs();
    this.#unmetAnswers += 1;
    if (state.refused) this.#renewNotBeforeMs = now + BACKGROUND_PAUSE_MS;
    const pause = state.refused || this.#unmetAnswers > QUICK_ASKS;
    this.#askNotBeforeMs = pause ? now + this.#nextDelayMs() : 0;
    const balanceNanos = this.lease.wholeBalanceNanos ?? 0n;
    for (const waiter of this.#waiters) {
      if (state.sequence <= waiter.freshAfter) continue;
      waiter.judged = true;
      if (balanceNanos < waiter.request.minNanos) this.#insufficient(waiter, balanceNanos);
    }
  }

  #insufficient(waiter: Waiter<Held>, balanceNanos: bigint): void {
    this.#done(waiter, { kind: 'insufficient', balanceNanos: balanceNanos > 0n ? balanceNanos : 0n });
  }

  /** Serves those who wait, in order, as far as the free credit goes, and asks for more if somebody is left. */
  pump(): void {
    if (this.#waiters.size === 0 || this.#context.refusal() !== undefined) return;
    for (const waiter of this.#waiters) {
      const nanos = this.#targetOf(waiter);
      if (this.#suspended || !this.lease.tryHold(nanos)) break;
      this.#unmetAnswers = 0;
      this.#askNotBeforeMs = 0;
      this.#backoff?.reset();
      this.#done(waiter, { kind: 'held', hold: this.#context.holdOf(this, nanos) });
    }
    if (this.#waiters.size > 0) this.#ask();
  }

  /** What a request is to get: the most it can cost, or the whole balance where that is less. */
  #targetOf(waiter: Waiter<Held>): bigint {
    const { maxNanos, minNanos } = waiter.request;
    const whole = this.lease.wholeBalanceNanos;
    if (!waiter.judged || whole === undefined || whole >= maxNanos) return maxNanos;
    return whole > minNanos ? whole : minNanos;
  }

  #ask(): void {
    const delayMs = this.#askDelayMs();
    if (delayMs > 0) this.#askLater(delayMs);
    else if (!this.#context.acquire(this.lease, this.#lackNanos(), false))
      this.#askLater(this.#context.limits.reaskMaxMs);
  }

  /** How long to wait with the next ask: for the answer to the last one, or out of regard for a refusal. */
  #askDelayMs(): number {
    const now = this.#context.nowMs();
    const sentAt = this.lease.pendingSentAtMs;
    const patienceMs = sentAt === undefined ? 0 : sentAt + ACQUIRE_TIMEOUT_MS - now;
    if (patienceMs > 0) return patienceMs;
    const promising = this.#unmetAnswers < QUICK_ASKS && this.#lackNanos() <= this.lease.availableNanos;
    return promising ? 0 : this.#askNotBeforeMs - now;
  }

  #askLater(delayMs: number): void {
    clearTimeout(this.#reask);
    this.#reask = setTimeout(() => {
      this.#unmetAnswers = 0;
      this.pump();
    }, delayMs);
  }

  #nextDelayMs(): number {
    const { reaskMinMs, reaskMaxMs } = this.#context.limits;
    this.#backoff ??= new Backoff(reaskMinMs, reaskMaxMs);
    return this.#backoff.next();
  }

  /** What the first in line lacks, and those behind it as far as the ledger was seen to have it. */
  #lackNanos(): bigint {
    let lack = -this.lease.freeNanos;
    let first = true;
    for (const waiter of this.#waiters) {
      const next = lack + this.#targetOf(waiter);
      if (!first && next > this.lease.availableNanos) break;
      lack = next;
      first = false;
    }
    return lack;
  }

  /** Asks for more before it is needed, within what the ledger was seen to have, so that nobody else is pressed for it. */
  #renew(): void {
    if (this.lease.pendingSequence !== undefined || this.#context.nowMs() < this.#renewNotBeforeMs) return;
    const aim = this.#recentHoldNanos * LOW_WATER_HOLDS * 2n - this.lease.freeNanos;
    const lack = smaller(aim, this.lease.availableNanos / 2n);
    if (lack > 0n && lack >= this.#recentHoldNanos) this.#context.acquire(this.lease, lack, true);
  }

  /** Returns all free credit at once. */
  returnFree(): void {
    if (!this.#context.streamUp()) return;
    if (this.lease.returnFree() > 0n) this.#context.sendReturn(this.lease);
  }

  /**
   * Gives all free credit back at the ledger's wish, and says so even where there is none. For a while nothing is asked
   * for ahead of need then: what was recalled is to reach the one who lacks it.
   */
  recalled(suspended: boolean): void {
    if (suspended) this.#suspend();
    this.#renewNotBeforeMs = this.#context.nowMs() + BACKGROUND_PAUSE_MS;
    if (!this.#context.streamUp()) return;
    this.lease.returnFree();
    this.#context.sendReturn(this.lease);
  }

  #suspend(): void {
    this.#suspended = true;
    this.refuseAll({ kind: 'suspended' });
  }

  /** Goes on after the session was opened again: says an unconfirmed return once more, and asks for those who wait. */
  reopened(): void {
    if (this.lease.returnUnconfirmed) this.#context.sendReturn(this.lease);
    this.#askNotBeforeMs = 0;
    this.pump();
  }

  /** Returns what has lain idle, and says a return again that was not confirmed. To be called now and then. */
  sweep(): void {
    if (this.#waiters.size > 0 || this.#context.nowMs() - this.#lastUsedMs < this.#context.limits.idleReturnMs) return;
    this.returnFree();
    if (this.lease.returnUnconfirmed) this.#context.sendReturn(this.lease);
  }

  /** Whether the account can be forgotten. */
  get dormant(): boolean {
    return this.#waiters.size === 0 && this.reportedHeldNanos === 0n && this.lease.dormant;
  }
}
