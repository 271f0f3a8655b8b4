import { Backoff } from '@tollgate/common/backoff';
import { minBigInt } from '@tollgate/common/money';
import type { LeaseState } from '@tollgate/proto/ledger';
import { AccountLease } from './lease.ts';
import type { CreditLimits, HoldRequest, HoldResult, UnavailableReason } from './types.ts';

/** What an account's credit needs from the wallet. `Held` is the type of hold that `createHold` returns. */
export interface AccountContext<Held> {
  readonly limits: CreditLimits;
  nowMs(): number;
  /** The sequence of the session's latest acquire. */
  lastSequence(): bigint;
  /** Sends an acquire for the shortfall of waiting requests, or as a prefetch; false while there is no stream. */
  acquire(lease: AccountLease, shortfallNanos: bigint, prefetch: boolean): boolean;
  /** Sends the lease's `returnedTotal`; false while there is no stream. */
  sendReturn(lease: AccountLease): boolean;
  streamUp(): boolean;
  /** Why no hold can be made now; undefined when one can. */
  unavailableReason(): UnavailableReason | undefined;
  /** Creates the hold for credit just taken from the lease. */
  createHold(account: AccountCredit<Held>, nanos: bigint): Held;
  /** Called when a waiting request has its result. */
  waiterFinished(result: HoldResult<Held>): void;
}

/** The session of an account, in which its holds and charges are counted. */
export interface SessionRef {
  readonly id: string;
  openHolds: number;
  unsettled: number;
  /** No more holds or charges can come under it. */
  readonly finished: boolean;
}

interface Waiter<Held> {
  request: HoldRequest;
  /** The account of the session it waits in; changes with the session. */
  account: AccountCredit<Held>;
  /** Only responses to later acquires show the balance since the request came. */
  waitingSinceSequence: bigint;
  /** Such a response has come. */
  hasFreshBalance: boolean;
  finish: (result: HoldResult<Held>) => void;
}

/** A prefetch begins when free credit suffices for fewer than this many recent holds, and aims at twice as many. */
const LOW_WATER_HOLDS = 4n;
const PREFETCH_PAUSE_MS = 1_000;
/** An acquire without a response for this long is abandoned. */
const ACQUIRE_TIMEOUT_MS = 2_000;
/** An open acquire that is older is no longer waiting for a recall: the ledger is slow. */
const SLOW_ACQUIRE_MS = 1_000;
/** Responses in a row that were not enough, after which the next acquire is still sent at once. */
const MAX_QUICK_ACQUIRES = 3;

/** One account's credit in one session: its lease, the queue of requests that wait for it, and its acquires. */
export class AccountCredit<Held> {
  readonly lease: AccountLease;
  readonly session: SessionRef;
  /** The held amount that was last reported to the ledger and confirmed. */
  reportedHeldNanos = 0n;
  readonly #context: AccountContext<Held>;
  readonly #waiters = new Set<Waiter<Held>>();
  #backoff: Backoff | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #acquireNotBeforeMs = 0;
  #unmetResponses = 0;
  #recentHoldNanos = 0n;
  #prefetchNotBeforeMs = 0;
  #lastUsedMs: number;
  #suspended = false;
  /** The ledger granted credit that is unknown here; an acquire that requests its state is open. */
  #resyncing = false;

  constructor(accountId: string, session: SessionRef, context: AccountContext<Held>) {
    this.lease = new AccountLease(accountId);
    this.session = session;
    this.#context = context;
    this.#lastUsedMs = context.nowMs();
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Whether the ledger reported that the account owes money. The next request checks again. */
  get suspended(): boolean {
    return this.#suspended;
  }

  /** Takes a hold at once if the lease suffices and no request waits. */
  tryHold(nanos: bigint): boolean {
    if (this.#suspended || this.#waiters.size > 0 || !this.lease.tryHold(nanos)) return false;
    this.#lastUsedMs = this.#context.nowMs();
    this.#recentHoldNanos =
      this.#recentHoldNanos === 0n ? nanos : this.#recentHoldNanos + ((nanos - this.#recentHoldNanos) >> 3n);
    if (this.lease.freeNanos < this.#recentHoldNanos * LOW_WATER_HOLDS) this.#prefetch();
    return true;
  }

  /** Queues for credit, up to the time limit. */
  wait(request: HoldRequest, waitMs = this.#context.limits.waitMs): Promise<HoldResult<Held>> {
    return new Promise((resolve) => this.#enqueue(request, waitMs, resolve));
  }

  #enqueue(request: HoldRequest, waitMs: number, resolve: (result: HoldResult<Held>) => void): void {
    const waiter: Waiter<Held> = {
      request,
      account: this,
      waitingSinceSequence: this.#context.lastSequence(),
      hasFreshBalance: false,
      finish: (result) => {
        clearTimeout(timer);
        request.signal.removeEventListener('abort', aborted);
        resolve(result);
      },
    };
    const aborted = () => waiter.account.#removeWaiter(waiter, { kind: 'aborted' });
    const timedOut = () => waiter.account.#removeWaiter(waiter, waiter.account.#timeoutResult(waiter));
    // In a busy process the timer may fire while the ledger's response is still unread: that is processed first.
    const timer = setTimeout(() => setImmediate(timedOut), waitMs);
    request.signal.addEventListener('abort', aborted, { once: true });
    this.#waiters.add(waiter);
    this.#lastUsedMs = this.#context.nowMs();
    this.pump();
  }

  #finish(waiter: Waiter<Held>, result: HoldResult<Held>): void {
    this.#waiters.delete(waiter);
    this.#context.waiterFinished(result);
    waiter.finish(result);
  }

  /** Ends one wait without a hold; requests behind it may fit. */
  #removeWaiter(waiter: Waiter<Held>, result: HoldResult<Held>): void {
    if (!this.#waiters.has(waiter)) return;
    this.#finish(waiter, result);
    this.pump();
  }

  #timeoutResult(waiter: Waiter<Held>): HoldResult<Held> {
    const reason = this.#context.unavailableReason();
    if (reason !== undefined) return { kind: 'unavailable', reason };
    if (!waiter.hasFreshBalance || this.#isLedgerSlow()) return { kind: 'unavailable', reason: 'ledger' };
    return { kind: 'busy', retryAfterMs: this.#context.limits.retryAfterMs };
  }

  /** Whether the credit of the first request is available in the ledger, which does not respond to the acquire for it. */
  #isLedgerSlow(): boolean {
    const { pendingSentAtMs, availableNanos } = this.lease;
    if (pendingSentAtMs === undefined || this.#context.nowMs() - pendingSentAtMs < SLOW_ACQUIRE_MS) return false;
    return this.#shortfallNanos() <= availableNanos;
  }

  /** Ends all waits with the same result. */
  rejectAll(result: HoldResult<Held>): void {
    clearTimeout(this.#retryTimer);
    for (const waiter of this.#waiters) this.#finish(waiter, result);
  }

  /** Moves waiting requests to the same account in another session. */
  moveWaitersTo(other: AccountCredit<Held>): void {
    clearTimeout(this.#retryTimer);
    for (const waiter of this.#waiters) {
      waiter.account = other;
      waiter.hasFreshBalance = false;
      other.#waiters.add(waiter);
    }
    this.#waiters.clear();
    other.pump();
  }

  /** Ends a hold and lets waiting requests use what became free. */
  endHold(heldNanos: bigint, chargedNanos: bigint): void {
    this.lease.endHold(heldNanos, chargedNanos);
    if (this.#waiters.size > 0) this.pump();
  }

  /** Applies a state sent by the ledger. */
  applyState(state: LeaseState): void {
    const isResponse = this.lease.applyState(state);
    if (state.suspended) this.#suspend();
    else if (isResponse) this.#suspended = false;
    if (isResponse) this.#acquireAnswered(state);
    this.pump();
    if (isResponse && this.#resyncing) this.#resynced();
    else if (this.lease.hasUnknownCredit(state)) this.#resyncing = this.#context.acquire(this.lease, 0n, true);
  }

  /** Returns the credit that was unknown here unless a request waits for it: another ingress may need it. */
  #resynced(): void {
    this.#resyncing = false;
    if (this.#waiters.size > 0) return;
    this.#prefetchNotBeforeMs = this.#context.nowMs() + PREFETCH_PAUSE_MS;
    this.returnFree();
  }

  #acquireAnswered(state: LeaseState): void {
    const now = this.#context.nowMs();
    this.#unmetResponses += 1;
    if (state.refused) this.#prefetchNotBeforeMs = now + PREFETCH_PAUSE_MS;
    const pause = state.refused || this.#unmetResponses > MAX_QUICK_ACQUIRES;
    this.#acquireNotBeforeMs = pause ? now + this.#nextDelayMs() : 0;
    const balanceNanos = this.lease.totalBalanceNanos ?? 0n;
    for (const waiter of this.#waiters) {
      if (state.sequence <= waiter.waitingSinceSequence) continue;
      waiter.hasFreshBalance = true;
      if (balanceNanos < waiter.request.minNanos) this.#rejectInsufficient(waiter, balanceNanos);
    }
  }

  #rejectInsufficient(waiter: Waiter<Held>, balanceNanos: bigint): void {
    this.#finish(waiter, { kind: 'insufficient', balanceNanos: balanceNanos > 0n ? balanceNanos : 0n });
  }

  /** Serves waiting requests in order as far as the free credit goes, then acquires more for the rest. */
  pump(): void {
    if (this.#waiters.size === 0 || this.#context.unavailableReason() !== undefined) return;
    for (const waiter of this.#waiters) {
      const nanos = this.#targetOf(waiter);
      if (this.#suspended || !this.lease.tryHold(nanos)) break;
      this.#unmetResponses = 0;
      this.#acquireNotBeforeMs = 0;
      this.#backoff?.reset();
      this.#finish(waiter, { kind: 'held', hold: this.#context.createHold(this, nanos) });
    }
    if (this.#waiters.size > 0) this.#acquire();
  }

  /** What to hold for a request: its maximum cost, or the total balance if that is less. */
  #targetOf(waiter: Waiter<Held>): bigint {
    const { maxNanos, minNanos } = waiter.request;
    const balance = this.lease.totalBalanceNanos;
    if (!waiter.hasFreshBalance || balance === undefined || balance >= maxNanos) return maxNanos;
    return balance > minNanos ? balance : minNanos;
  }

  #acquire(): void {
    const delayMs = this.#acquireDelayMs();
    if (delayMs > 0) this.#acquireLater(delayMs);
    else if (!this.#context.acquire(this.lease, this.#shortfallNanos(), false))
      this.#acquireLater(this.#context.limits.acquireRetryMaxMs);
  }

  /** How long to delay the next acquire: until the response to the last one, or because one was refused. */
  #acquireDelayMs(): number {
    const now = this.#context.nowMs();
    const sentAt = this.lease.pendingSentAtMs;
    const pendingMs = sentAt === undefined ? 0 : sentAt + ACQUIRE_TIMEOUT_MS - now;
    if (pendingMs > 0) return pendingMs;
    const isLikely = this.#unmetResponses < MAX_QUICK_ACQUIRES && this.#shortfallNanos() <= this.lease.availableNanos;
    return isLikely ? 0 : this.#acquireNotBeforeMs - now;
  }

  #acquireLater(delayMs: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => {
      this.#unmetResponses = 0;
      this.pump();
    }, delayMs);
  }

  #nextDelayMs(): number {
    const { acquireRetryMinMs, acquireRetryMaxMs } = this.#context.limits;
    this.#backoff ??= new Backoff(acquireRetryMinMs, acquireRetryMaxMs);
    return this.#backoff.next();
  }

  /** The shortfall of the first request in the queue, and of those behind it as far as the ledger had credit last. */
  #shortfallNanos(): bigint {
    let shortfall = -this.lease.freeNanos;
    let first = true;
    for (const waiter of this.#waiters) {
      const next = shortfall + this.#targetOf(waiter);
      if (!first && next > this.lease.availableNanos) break;
      shortfall = next;
      first = false;
    }
    return shortfall;
  }

  /** Acquires more before it is needed, within what the ledger had last, so that no other ingress is recalled for it. */
  #prefetch(): void {
    if (this.lease.pendingSequence !== undefined || this.#context.nowMs() < this.#prefetchNotBeforeMs) return;
    const target = this.#recentHoldNanos * LOW_WATER_HOLDS * 2n - this.lease.freeNanos;
    const shortfall = minBigInt(target, this.lease.availableNanos / 2n);
    if (shortfall > 0n && shortfall >= this.#recentHoldNanos) this.#context.acquire(this.lease, shortfall, true);
  }

  /** Returns all free credit at once. */
  returnFree(): void {
    if (!this.#context.streamUp()) return;
    if (this.lease.returnFree() > 0n) this.#context.sendReturn(this.lease);
  }

  /**
   * Returns all free credit at the ledger's request, and confirms it even where there is none. Prefetching then pauses,
   * so that the credit reaches the ingress that needs it.
   */
  recalled(suspended: boolean): void {
    if (suspended) this.#suspend();
    this.#prefetchNotBeforeMs = this.#context.nowMs() + PREFETCH_PAUSE_MS;
    if (!this.#context.streamUp()) return;
    this.lease.returnFree();
    this.#context.sendReturn(this.lease);
  }

  #suspend(): void {
    this.#suspended = true;
    this.rejectAll({ kind: 'suspended' });
  }

  /** Resumes after the session was reopened: repeats an unconfirmed return, and acquires for waiting requests. */
  reopened(): void {
    if (this.lease.returnUnconfirmed) this.#context.sendReturn(this.lease);
    this.#acquireNotBeforeMs = 0;
    this.pump();
  }

  /** Returns idle credit, and repeats an unconfirmed return. Call it periodically. */
  sweep(): void {
    if (this.#waiters.size > 0 || this.#context.nowMs() - this.#lastUsedMs < this.#context.limits.idleReturnMs) return;
    this.returnFree();
    if (this.lease.returnUnconfirmed) this.#context.sendReturn(this.lease);
  }

  /** Whether the account can be dropped. */
  get idle(): boolean {
    return this.#waiters.size === 0 && this.reportedHeldNanos === 0n && this.lease.idle;
  }
}
