import { CAP_PERIOD_OF_LABEL, type CapPeriodLabel } from '@tollgate/common/cap-periods';
import type { AcquireCap, CapName, CapState, ReturnCap } from '@tollgate/proto/ledger';
import { type AccountContext, AccountCredit, type SessionRef } from './account-credit.ts';
import type { HoldRequest, HoldResult } from './types.ts';

/** One cap of a key in one period. */
export interface CapInPeriod {
  accountId: string;
  keyId: string;
  period: CapPeriodLabel;
  /** Start of the period, Unix milliseconds; 0 for the total cap. */
  startMs: number;
}

/** The part of a cap that is held for one request. */
export interface CapHold {
  cap: CapCredit;
  nanos: bigint;
}

/** What a cap's credit needs from the wallet. */
export interface CapContext
  extends Omit<AccountContext<unknown>, 'acquire' | 'sendReturn' | 'createHold' | 'waiterFinished'> {
  /** Sends an acquire for the shortfall; false while there is no stream. */
  acquireCap(cap: CapCredit, shortfallNanos: bigint, prefetch: boolean): boolean;
  /** Sends the cap's returned total; false while there is no stream. */
  sendReturnCap(cap: CapCredit): boolean;
}

/**
 * One session's part of a key's cap in one period: leased, waited for and returned like an account's credit.
 *
 * When the cap changes, the session's part was leased under the old limit. It is returned, and the cap stays frozen until
 * the ledger, which then knows the new limit, confirms that all leases are within it.
 */
export class CapCredit {
  readonly cap: CapInPeriod;
  readonly name: CapName;
  readonly #credit: AccountCredit<CapHold>;
  readonly #context: CapContext;
  #limitNanos: bigint;
  #keyRevision: bigint;

  constructor(cap: CapInPeriod, limitNanos: bigint, keyRevision: bigint, session: SessionRef, context: CapContext) {
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
    this.#credit = new AccountCredit<CapHold>(cap.accountId, session, {
      limits: context.limits,
      nowMs: () => context.nowMs(),
      lastSequence: () => context.lastSequence(),
      streamUp: () => context.streamUp(),
      unavailableReason: () => context.unavailableReason(),
      acquire: (_, shortfallNanos, prefetch) => context.acquireCap(this, shortfallNanos, prefetch),
      sendReturn: () => context.sendReturnCap(this),
      createHold: (_, nanos) => ({ cap: this, nanos }),
      waiterFinished: () => undefined,
    });
  }

  get limitNanos(): bigint {
    return this.#limitNanos;
  }

  get session(): SessionRef {
    return this.#credit.session;
  }

  /** What open holds and unacknowledged charges may still take from the session's part. */
  get claimedNanos(): bigint {
    return this.#credit.lease.claimedNanos;
  }

  get waiting(): number {
    return this.#credit.waiting;
  }

  get idle(): boolean {
    return this.#credit.idle;
  }

  /** The same cap in another session that has no part of it yet. */
  inSession(session: SessionRef, context: CapContext): CapCredit {
    return new CapCredit(this.cap, this.#limitNanos, this.#keyRevision, session, context);
  }

  /** Takes the limit of a request's key, if its revision is newer. */
  updateLimit(limitNanos: bigint, keyRevision: bigint): void {
    if (keyRevision <= this.#keyRevision) return;
    this.#keyRevision = keyRevision;
    this.#limitNanos = limitNanos;
    this.#credit.lease.frozen = true;
    this.#returnFree();
  }

  /** Holds a part of the cap at once if the session has enough of it and no request waits. */
  tryHold(nanos: bigint): boolean {
    return this.#credit.tryHold(nanos);
  }

  /** Waits for a part of the cap, which may come from the same cap in a session that began meanwhile. */
  waitForHold(request: HoldRequest, waitMs: number): Promise<HoldResult<CapHold>> {
    return this.#credit.wait(request, waitMs);
  }

  /** Ends a hold on the cap. `chargedNanos` of it was spent. */
  endHold(heldNanos: bigint, chargedNanos: bigint): void {
    if (!this.#credit.lease.frozen) {
      this.#credit.endHold(heldNanos, chargedNanos);
      return;
    }
    this.#credit.lease.endHold(heldNanos, chargedNanos);
    this.#returnFree();
    this.#credit.pump();
  }

  /** Records the ledger's acknowledgement of a charge; `disputed` if not all of it was taken from the lease. */
  acknowledge(chargedNanos: bigint, disputed: boolean): void {
    this.#credit.lease.acknowledge(chargedNanos, disputed);
  }

  /** Creates the message that requests `shortfallNanos` more. */
  beginAcquire(sequence: bigint, shortfallNanos: bigint, prefetch: boolean): AcquireCap {
    const { lease } = this.#credit;
    const { grantedTotalNeeded } = lease.beginAcquire(sequence, shortfallNanos, this.#context.nowMs(), prefetch);
    return {
      cap: this.name,
      sequence,
      grantedTotalNeeded,
      limitNanos: this.#limitNanos,
      keyRevision: this.#keyRevision,
      prefetch,
    };
  }

  /** Creates the message with the returned total. */
  returnMessage(): ReturnCap {
    return { cap: this.name, returnedTotal: this.#credit.lease.returnedTotal };
  }

  /** Applies a state sent by the ledger. */
  applyState(state: CapState): void {
    const { lease } = this.#credit;
    const acquired = state.sequence > 0n && !state.refused;
    if (acquired && state.keyRevision >= this.#keyRevision) lease.frozen = false;
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
    if (lease.frozen) this.#returnFree();
  }

  recalled(): void {
    this.#credit.recalled(false);
  }

  /** Drops an open acquire after the stream broke: its response cannot come any more. */
  abandonAcquire(): void {
    this.#credit.lease.abandonAcquire();
  }

  /** Resumes after the session was reopened. */
  reopened(): void {
    this.#credit.reopened();
  }

  returnFree(): void {
    this.#credit.returnFree();
  }

  rejectAll(result: HoldResult<never>): void {
    this.#credit.rejectAll(result);
  }

  /** Moves waiting requests to the same cap in another session. */
  moveWaitersTo(other: CapCredit): void {
    this.#credit.moveWaitersTo(other.#credit);
  }

  /** Returns idle credit. Call it periodically. */
  sweep(): void {
    this.#credit.sweep();
  }

  /** Marks free credit as returned even without a stream: the return is sent again once there is one. */
  #returnFree(): void {
    if (this.#credit.lease.returnFree() > 0n) this.#context.sendReturnCap(this);
  }
}
