import type { AcquireCredit, Ceiling, CeilingState, LeaseState } from '@tollgate/proto/ledger';
import { Lease } from './lease.ts';
import type { OpenHold } from './open-hold.ts';
import { Path } from './path.ts';
import { Paths } from './paths.ts';
import type { CreditLimits, HoldRequest, HoldResult, UnavailableReason } from './types.ts';
import { Waiter } from './waiter.ts';

/** What an account's credit needs from the wallet. */
export interface AccountContext {
  readonly limits: CreditLimits;
  nowMs(): number;
  /** The sequence of the session's latest acquire. */
  lastSequence(): bigint;
  /** Sends an acquire with the next sequence; undefined while there is no stream. */
  acquire(create: (sequence: bigint) => AcquireCredit): bigint | undefined;
  /** Sends a lease's `returnedTotal`; false while there is no stream, and for a retired session, which releases instead. */
  sendReturn(account: AccountCredit, lease: Lease): boolean;
  streamUp(): boolean;
  /** Why no hold can be made now; undefined when one can. */
  unavailableReason(): UnavailableReason | undefined;
  /** Creates the hold for credit just taken from each lease of a path. */
  createHold(account: AccountCredit, path: Path, nanos: bigint): OpenHold;
  /** Called when a waiting request has its result. */
  waiterFinished(result: HoldResult<OpenHold>): void;
}

/** The session of an account, in which its holds and charges are counted. */
export interface SessionRef {
  readonly id: string;
  openHolds: number;
  unsettled: number;
  /** No more holds or charges can come under it. */
  readonly finished: boolean;
}

const PREFETCH_PAUSE_MS = 1_000;

/**
 * One account's credit in one session: its leases, of the balance and of limits below it, and the queue of requests that wait
 * for them. A request holds the same amount of every ceiling on its path, or nothing: one that waits holds nothing, and keeps
 * only what it lacks from those behind it.
 */
export class AccountCredit {
  readonly accountId: string;
  readonly session: SessionRef;
  /** The amount held of the balance that was last reported to the ledger and confirmed. */
  reportedHeldNanos = 0n;
  readonly #context: AccountContext;
  readonly #paths: Paths;
  /** In the order of their arrival. */
  readonly #waiters = new Set<Waiter>();
  /** What waiting requests lack: none behind them may take it. */
  readonly #lacking = new Set<Lease>();
  /** Paths whose next acquire is to be decided; all others with waiting requests are asking or pausing. */
  readonly #undecided = new Set<Path>();
  /** Open acquires by sequence: of paths, and of a lease in which the ledger granted credit that is unknown here. */
  readonly #asking = new Map<bigint, Path | Lease>();
  #waitingPaths = 0;
  #suspended = false;

  constructor(accountId: string, session: SessionRef, context: AccountContext) {
    this.accountId = accountId;
    this.session = session;
    this.#context = context;
    this.#paths = new Paths(
      context.limits,
      () => context.nowMs(),
      (lease) => this.#returnFrozen(lease),
    );
  }

  get balance(): Lease {
    return this.#paths.balance;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  get leases(): Iterable<Lease> {
    return this.#paths.leases;
  }

  /** How many leases of limits below the balance there are. */
  get limits(): number {
    return this.#paths.limits;
  }

  /** Takes a hold at once if all leases suffice and no request waits for any of them. */
  tryHold({ capped, maxNanos }: HoldRequest): OpenHold | undefined {
    const path = this.#paths.of(capped);
    if (this.#suspended || path.waiters.size > 0 || this.#lacks(path, maxNanos)) return undefined;
    const hold = this.#hold(path, maxNanos);
    this.#prefetch(path);
    return hold;
  }

  #lacks(path: Path, nanos: bigint): boolean {
    for (const lease of path.leases) if (this.#lacking.has(lease) || !lease.canHold(nanos)) return true;
    return false;
  }

  #hold(path: Path, nanos: bigint): OpenHold {
    for (const lease of path.leases) lease.hold(nanos);
    this.#used(path);
    return this.#context.createHold(this, path, nanos);
  }

  #used(path: Path): void {
    const nowMs = this.#context.nowMs();
    path.lastUsedMs = nowMs;
    for (const lease of path.leases) lease.lastUsedMs = nowMs;
  }

  /** Queues for credit, up to the time limit. */
  wait(request: HoldRequest): Promise<HoldResult<OpenHold>> {
    return new Promise((resolve) => {
      const waiter = new Waiter(request, resolve, this.#context.limits.waitMs, (ending) =>
        waiter.account.#end(waiter, ending),
      );
      this.#enqueue(waiter);
      this.pump();
    });
  }

  #enqueue(waiter: Waiter): void {
    const path = this.#paths.of(waiter.request.capped);
    waiter.enters(this, path, this.#context.lastSequence());
    if (path.waiters.size === 0) this.#waitingPaths += 1;
    path.waiters.add(waiter);
    this.#waiters.add(waiter);
    this.#undecided.add(path);
    this.#used(path);
  }

  #leave(waiter: Waiter): void {
    const { path } = waiter;
    this.#waiters.delete(waiter);
    path.waiters.delete(waiter);
    if (path.waiters.size > 0) {
      this.#undecided.add(path);
      return;
    }
    this.#undecided.delete(path);
    this.#waitingPaths -= 1;
    path.stop();
  }

  #finish(waiter: Waiter, result: HoldResult<OpenHold>): void {
    this.#leave(waiter);
    this.#context.waiterFinished(result);
    waiter.finish(result);
  }

  /** Ends one wait without a hold; requests behind it may fit. */
  #end(waiter: Waiter, ending: 'aborted' | 'timed_out'): void {
    if (!this.#waiters.has(waiter)) return;
    this.#finish(waiter, ending === 'aborted' ? { kind: 'aborted' } : this.#timeoutResult(waiter));
    this.pump();
  }

  #timeoutResult(waiter: Waiter): HoldResult<OpenHold> {
    const reason = this.#context.unavailableReason();
    if (reason !== undefined) return { kind: 'unavailable', reason };
    const isSlow = waiter.path.isLedgerSlow(this.#context.nowMs());
    if (!waiter.hasFreshState || isSlow) return { kind: 'unavailable', reason: 'ledger' };
    const { retryAfterMs } = this.#context.limits;
    return { kind: 'busy', retryAfterMs, limit: waiter.lacked()?.status };
  }

  /** Ends all waits with the same result. */
  rejectAll(result: HoldResult<never>): void {
    for (const waiter of this.#waiters) this.#finish(waiter, result);
    this.#lacking.clear();
  }

  /** Moves waiting requests to the same account in another session. */
  moveWaitersTo(other: AccountCredit): void {
    for (const waiter of this.#waiters) {
      this.#leave(waiter);
      other.#enqueue(waiter);
    }
    this.#lacking.clear();
    other.pump();
  }

  /** Ends a hold and lets waiting requests use what became free. */
  endHold(leases: readonly Lease[], heldNanos: bigint, chargedNanos: bigint): void {
    for (const lease of leases) {
      lease.endHold(heldNanos, chargedNanos);
      if (lease.frozen) this.#returnFrozen(lease);
    }
    this.pump();
  }

  /** Serves waiting requests in order as far as the leases go, then acquires more for the rest. */
  pump(): void {
    this.#lacking.clear();
    if (this.#waiters.size === 0 || this.#context.unavailableReason() !== undefined) return;
    for (const waiter of this.#waiters) {
      const { path } = waiter;
      const nanos = waiter.target();
      if (this.#suspended || this.#lacks(path, nanos)) {
        for (const lease of path.leases) if (!lease.canHold(nanos)) this.#lacking.add(lease);
        // Everyone needs the balance.
        if (this.#suspended || this.#lacking.has(this.balance)) break;
        continue;
      }
      path.served();
      this.#finish(waiter, { kind: 'held', hold: this.#hold(path, nanos) });
    }
    for (const path of this.#undecided) this.#acquire(path);
    this.#undecided.clear();
  }

  /** Asks for what a path lacks, now or later. */
  #acquire(path: Path): void {
    const delayMs = path.delayMs(this.#context.nowMs());
    const isAsked = delayMs <= 0 && this.#ask(path, path.shortfalls(), false);
    const decideMs = isAsked ? path.delayMs(this.#context.nowMs()) : delayMs;
    path.later(decideMs > 0 ? decideMs : this.#context.limits.acquireRetryMaxMs, () => {
      this.#undecided.add(path);
      this.pump();
    });
  }

  /** Sends an acquire of so much of each lease of a path; false while there is no stream. */
  #ask(path: Path, shortfalls: readonly bigint[], prefetch: boolean): boolean {
    if (path.openSequence !== undefined) this.#asking.delete(path.openSequence);
    path.abandonAcquire();
    const sequence = this.#send(path.leases, shortfalls, prefetch);
    if (sequence === undefined) return false;
    path.asked(sequence, this.#context.nowMs());
    this.#asking.set(sequence, path);
    return true;
  }

  #send(leases: readonly Lease[], shortfalls: readonly bigint[], prefetch: boolean): bigint | undefined {
    const { accountId } = this;
    return this.#context.acquire((sequence) => {
      const needs = leases.map((lease, place) => lease.beginAcquire(sequence, shortfalls[place] ?? 0n));
      return { accountId, sequence, needs, prefetch };
    });
  }

  /** Acquires more before it is needed. */
  #prefetch(path: Path): void {
    if (path.openSequence !== undefined) return;
    const nowMs = this.#context.nowMs();
    for (const lease of path.leases) {
      if (lease.prefetchNanos(nowMs) === 0n) continue;
      const shortfalls = path.leases.map((each) => each.prefetchNanos(nowMs));
      this.#ask(path, shortfalls, true);
      return;
    }
  }

  /** Applies a state sent by the ledger. */
  applyState({ sequence, refused, suspended, ceilings }: LeaseState): void {
    const asking = this.#asking.get(sequence);
    this.#asking.delete(sequence);
    for (const state of ceilings) this.#applyCeiling(sequence, state);
    if (suspended) this.#suspend();
    else if (asking !== undefined) this.#suspended = false;
    if (asking instanceof Path) this.#answered(asking, sequence, refused);
    this.pump();
    if (asking instanceof Lease) this.#resynced(asking);
  }

  #applyCeiling(sequence: bigint, state: CeilingState): void {
    if (state.ceiling === undefined) return;
    const lease = this.#paths.lease(state.ceiling) ?? this.#paths.restore(state.ceiling, state);
    if (lease === undefined) return;
    lease.applyState(sequence, state);
    if (state.short) this.#pausePrefetch(lease);
    if (lease.frozen) this.#returnFrozen(lease);
    if (lease.hasUnknownCredit(state)) this.#resync(lease);
  }

  #answered(path: Path, sequence: bigint, refused: boolean): void {
    path.answered(refused, this.#context.nowMs(), this.#waitingPaths);
    if (path.waiters.size > 0) this.#undecided.add(path);
    for (const waiter of path.waiters) {
      const rejection = waiter.sees(sequence) ? waiter.rejection() : undefined;
      if (rejection !== undefined) this.#finish(waiter, rejection);
    }
  }

  /** Asks for the state of a lease in which the ledger granted credit that is unknown here. */
  #resync(lease: Lease): void {
    const sequence = this.#send([lease], [0n], true);
    if (sequence !== undefined) this.#asking.set(sequence, lease);
  }

  /** Returns the credit that was unknown here unless a request waits: another ingress may need it. */
  #resynced(lease: Lease): void {
    if (this.#waiters.size > 0) return;
    this.#pausePrefetch(lease);
    this.#returnFree(lease);
  }

  #pausePrefetch(lease: Lease): void {
    lease.prefetchNotBeforeMs = this.#context.nowMs() + PREFETCH_PAUSE_MS;
  }

  /** Returns all free credit at once. */
  returnFree(): void {
    for (const lease of this.#paths.leases) this.#returnFree(lease);
  }

  #returnFree(lease: Lease): void {
    if (!this.#context.streamUp()) return;
    if (lease.returnFree() > 0n) this.#context.sendReturn(this, lease);
  }

  /** Marks free credit as returned even without a stream: the return is sent again once there is one. */
  #returnFrozen(lease: Lease): void {
    if (lease.returnFree() > 0n) this.#context.sendReturn(this, lease);
  }

  /**
   * Returns all free credit under a ceiling at the ledger's request, and confirms it even where there is none. Prefetching
   * then pauses, so that the credit reaches the ingress that needs it.
   *
   * @returns false if the ceiling is not known here
   */
  recalled(name: Ceiling, suspended: boolean): boolean {
    if (suspended) this.#suspend();
    const lease = this.#paths.lease(name);
    if (lease === undefined) return false;
    this.#pausePrefetch(lease);
    if (!this.#context.streamUp()) return true;
    lease.returnFree();
    this.#context.sendReturn(this, lease);
    return true;
  }

  #suspend(): void {
    this.#suspended = true;
    this.rejectAll({ kind: 'suspended' });
  }

  /** Drops open acquires after the stream broke: their responses cannot come any more. */
  abandonAcquires(): void {
    for (const path of this.#paths.all) path.abandonAcquire();
    for (const lease of this.#paths.leases) lease.abandonAcquire();
    this.#asking.clear();
  }

  /** Resumes after the session was reopened: repeats unconfirmed returns, and acquires for waiting requests. */
  reopened(): void {
    for (const lease of this.#paths.leases) if (lease.returnUnconfirmed) this.#context.sendReturn(this, lease);
    for (const path of this.#paths.all) {
      path.resume();
      if (path.waiters.size > 0) this.#undecided.add(path);
    }
    this.pump();
  }

  /** Returns idle credit, repeats unconfirmed returns, and drops what nothing uses any more. Call it periodically. */
  sweep(): void {
    const nowMs = this.#context.nowMs();
    const isUnused = ({ lastUsedMs }: Lease | Path) => nowMs - lastUsedMs >= this.#context.limits.idleReturnMs;
    this.#paths.drop(isUnused);
    if (this.#waiters.size > 0) return;
    for (const lease of this.#paths.leases) {
      if (!isUnused(lease)) continue;
      this.#returnFree(lease);
      if (lease.returnUnconfirmed) this.#context.sendReturn(this, lease);
    }
  }

  /** Whether the account can be dropped. */
  get idle(): boolean {
    return this.#waiters.size === 0 && this.reportedHeldNanos === 0n && this.limits === 0 && this.balance.idle;
  }
}
