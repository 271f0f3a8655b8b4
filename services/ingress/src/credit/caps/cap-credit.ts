import { CAP_PERIOD_OF_LABEL, type CapPeriodLabel } from '@tollgate/common/cap-periods';
import type { AcquireCap, CapName, CapState, ReturnCap } from '@tollgate/proto/ledger';
import { type AccountContext, AccountCredit, type SessionOfAccount } from '../account-credit.ts';
import type { HoldRequest, HoldResult } from '../types.ts';

/** One cap of a key in one period. */
export interface CapInPeriod {
  accountId: string;
  keyId: string;
  period: CapPeriodLabel;
  /** Begin of the period, Unix milliseconds; 0 for the whole life of the key. */
  startMs: number;
}

/** What was taken of a cap for one request. */
export interface TakenOfCap {
  cap: CapCredit;
  nanos: bigint;
}

/** What a cap's credit needs of the desk. */
export interface CapContext extends Omit<AccountContext, 'acquire' | 'sendReturn' | 'holdOf' | 'waiterDone'> {
  /** Sends an acquire of the given lack; false while there is no stream. */
  acquireCap(cap: CapCredit, lackNanos: bigint, ahead: boolean): boolean;
  /** Sends what was returned of the cap; false while there is no stream. */
  sendReturnCap(cap: CapCredit): boolean;
}

/**
 * What one session has of a cap of a key in one period: leased, waited for and returned as an account's credit is.
 *
 * When the cap is seen changed, whatever the session has of it was lent under another limit. It is returned, and nothing
 * is taken of the cap until the ledger, knowing the new limit, says that all that is lent lies within it.
 */
export class CapCredit {
  readonly cap: CapInPeriod;
  readonly name: CapName;
  readonly #credit: AccountCredit<TakenOfCap>;
  readonly #context: CapContext;
  #limitNanos: bigint;
  #keyRevision: bigint;

  constructor(
    cap: CapInPeriod,
    limitNanos: bigint,
    keyRevision: bigint,
    session: SessionOfAccount,
    context: CapContext,
  ) {
    this.cap = cap;
    this.name = {
      accountId: cap.accountId,
      keyId: cap.keyId,
      period: CAP_PERIOD_OF_LABEL[cap.period],
      periodStartMs: BigInt(cap.startMs),
    };
    this.#limitNanos = limitNanos;
    this.#keyRevision = keyRevision;
    this.#context = context;
    this.#credit = new AccountCredit<TakenOfCap>(cap.accountId, session, {
      limits: context.limits,
      nowMs: () => context.nowMs(),
      lastSequence: () => context.lastSequence(),
      streamUp: () => context.streamUp(),
      refusal: () => context.refusal(),
      acquire: (_, lackNanos, ahead) => context.acquireCap(this, lackNanos, ahead),
      sendReturn: () => context.sendReturnCap(this),
      holdOf: (_, nanos) => ({ cap: this, nanos }),
      waiterDone: () => undefined,
    });
  }

  get limitNanos(): bigint {
    return this.#limitNanos;
  }

  get session(): SessionOfAccount {
    return this.#credit.session;
  }

  /** What open holds and charges that are not acknowledged may still take from the session's part. */
  get claimedNanos(): bigint {
    return this.#credit.lease.claimedNanos;
  }

  get waiting(): number {
    return this.#credit.waiting;
  }

  get dormant(): boolean {
    return this.#credit.dormant;
  }

  /** The same cap in another session, of which that one has nothing yet. */
  again(session: SessionOfAccount, context: CapContext): CapCredit {
    return new CapCredit(this.cap, this.#limitNanos, this.#keyRevision, session, context);
  }

  /** Takes note of the limit as a request's key has it. That of the latest revision counts. */
  heed(limitNanos: bigint, keyRevision: bigint): void {
    if (keyRevision <= this.#keyRevision) return;
    this.#keyRevision = keyRevision;
    this.#limitNanos = limitNanos;
    this.#credit.lease.barred = true;
    this.#giveBack();
  }

  /** Takes from the cap at once, if what the session has of it suffices and nobody waits before. */
  tryTake(nanos: bigint): boolean {
    return this.#credit.tryHold(nanos);
  }

  /** Takes from the cap, waiting up to the time given; in the end from the same cap of a session begun meanwhile. */
  take(request: HoldRequest, waitMs: number): Promise<HoldResult<TakenOfCap>> {
    return this.#credit.wait(request, waitMs);
  }

  /** Gives back what was taken, of which `chargedNanos` was spent. */
  end(takenNanos: bigint, chargedNanos: bigint): void {
    if (!this.#credit.lease.barred) {
      this.#credit.endHold(takenNanos, chargedNanos);
      return;
    }
    this.#credit.lease.endHold(takenNanos, chargedNanos);
    this.#giveBack();
    this.#credit.pump();
  }

  /** Notes that the ledger acknowledged a charge; `disputed` when it did not take all of it from the lease. */
  acknowledge(chargedNanos: bigint, disputed: boolean): void {
    this.#credit.lease.acknowledge(chargedNanos, disputed);
  }

  /** The message that asks for `lackNanos` more. */
  beginAcquire(sequence: bigint, lackNanos: bigint, ahead: boolean): AcquireCap {
    const { lease } = this.#credit;
    const { grantedTotalNeeded } = lease.beginAcquire(sequence, lackNanos, this.#context.nowMs(), ahead);
    return {
      cap: this.name,
      sequence,
      grantedTotalNeeded,
      limitNanos: this.#limitNanos,
      keyRevision: this.#keyRevision,
      ahead,
    };
  }

  /** The message that says what was returned. */
  returned(): ReturnCap {
    return { cap: this.name, returnedTotal: this.#credit.lease.returnedTotal };
  }

  /** Takes in a state from the ledger. */
  applyState(state: CapState): void {
    const { lease } = this.#credit;
    const acquired = state.sequence > 0n && !state.refused;
    if (acquired && state.keyRevision >= this.#keyRevision) lease.barred = false;
    this.#credit.applyState({
      accountId: this.cap.accountId,
      sequence: state.sequence,
      grantedTotal: state.grantedTotal,
      spentTotal: state.spentTotal,
      returnedTotal: state.returnedTotal,
      refused: state.refused,
      balanceNanos: state.leftNanos,
      availableNanos: state.availableNanos,
      suspended: false,
    });
    if (lease.barred) this.#giveBack();
  }

  recalled(): void {
    this.#credit.recalled(false);
  }

  /** The stream broke: the answer to what was asked cannot come any more. */
  abandonAcquire(): void {
    this.#credit.lease.abandonAcquire();
  }

  /** Goes on after the session was opened again. */
  reopened(): void {
    this.#credit.reopened();
  }

  returnFree(): void {
    this.#credit.returnFree();
  }

  refuseAll(result: HoldResult<never>): void {
    this.#credit.refuseAll(result);
  }

  /** Hands the requests that wait over to the same cap in another session. */
  moveWaitersTo(other: CapCredit): void {
    this.#credit.moveWaitersTo(other.#credit);
  }

  /** Returns what has lain idle. To be called now and then. */
  sweep(): void {
    this.#credit.sweep();
  }

  /** Declares what is free returned, whether or not it can be said now: it is said again once there is a stream. */
  #giveBack(): void {
    if (this.#credit.lease.returnFree() > 0n) this.#context.sendReturnCap(this);
  }
}
