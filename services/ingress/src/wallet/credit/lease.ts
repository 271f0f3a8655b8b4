import { minBigInt } from '@tollgate/common/money';
import type { AcquireCredit, LeaseState } from '@tollgate/proto/ledger';

/** The open acquire, with what was charged and unsettled when it was sent. */
interface PendingAcquire {
  sequence: bigint;
  sentAtMs: number;
  unsettledAtSend: bigint;
  chargedAtSend: bigint;
}

/** The account's balance as of the response to the last acquire. */
interface BalanceSnapshot {
  balanceNanos: bigint;
  availableNanos: bigint;
  /** Settled charges of this lease, which the balance no longer includes. */
  spentTotal: bigint;
}

/**
 * The arithmetic of one account's lease in one session; no I/O, no clock. All counters are cumulative over the session,
 * so the next state corrects one that was lost, repeated or overtaken.
 *
 * The remaining credit is `granted - returned - charged - held`. No state can raise it above what the ledger has leased,
 * because `returned` is raised before a return is sent, and `charged` before a charge is.
 */
export class AccountLease {
  readonly accountId: string;
  /** While set, no new hold can be taken. */
  frozen = false;
  #granted = 0n;
  #returned = 0n;
  #charged = 0n;
  #held = 0n;
  /** Charged and not yet acknowledged by the ledger. */
  #unsettled = 0n;
  /** Acknowledged but not (fully) taken from the lease: the ledger quarantined it or booked a loss. */
  #disputed = 0n;
  #returnedConfirmed = 0n;
  #pending: PendingAcquire | undefined;
  #snapshot: BalanceSnapshot | undefined;
  #adopted = false;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  /** Credit that a new hold can take now. */
  get freeNanos(): bigint {
    return this.#granted - this.#returned - this.#charged - this.#held;
  }

  get heldNanos(): bigint {
    return this.#held;
  }

  /** What open holds and unacknowledged charges may still take from the lease. */
  get claimedNanos(): bigint {
    return this.#held + this.#unsettled;
  }

  get returnedTotal(): bigint {
    return this.#returned;
  }

  get pendingSequence(): bigint | undefined {
    return this.#pending?.sequence;
  }

  get pendingSentAtMs(): number | undefined {
    return this.#pending?.sentAtMs;
  }

  /** The part of the balance that was not leased at the last response. */
  get availableNanos(): bigint {
    return this.#snapshot?.availableNanos ?? 0n;
  }

  /** The account's total balance less what was charged here and not yet settled; undefined before the first response. */
  get totalBalanceNanos(): bigint | undefined {
    if (this.#snapshot === undefined) return undefined;
    return this.#snapshot.balanceNanos - (this.#charged - this.#snapshot.spentTotal);
  }

  /** Whether the lease can be dropped: the ledger knows everything that is known here. */
  get idle(): boolean {
    return (
      this.#held === 0n &&
      this.#unsettled === 0n &&
      this.#pending === undefined &&
      this.#returnedConfirmed === this.#returned &&
      this.freeNanos === 0n
    );
  }

  /** Takes a hold if the free credit suffices. */
  tryHold(nanos: bigint): boolean {
    if (this.frozen || this.freeNanos < nanos) return false;
    this.#held += nanos;
    return true;
  }

  /** Ends a hold. `chargedNanos` of it, at most all, were spent. */
  endHold(heldNanos: bigint, chargedNanos: bigint): void {
    this.#held -= heldNanos;
    this.#charged += chargedNanos;
    this.#unsettled += chargedNanos;
  }

  /** Records the ledger's acknowledgement of a charge; `disputed` if not all of it was taken from the lease. */
  acknowledge(chargedNanos: bigint, disputed: boolean): void {
    this.#unsettled -= chargedNanos;
    if (disputed) this.#disputed += chargedNanos;
  }

  /**
   * Creates the message that requests `shortfallNanos` more than is granted. Replaces an abandoned acquire.
   *
   * @param prefetch whether it is requested before it is needed
   */
  beginAcquire(sequence: bigint, shortfallNanos: bigint, nowMs: number, prefetch = false): AcquireCredit {
    this.#pending = {
      sequence,
      sentAtMs: nowMs,
      unsettledAtSend: this.#unsettled,
      chargedAtSend: this.#charged,
    };
    return { accountId: this.accountId, sequence, grantedTotalNeeded: this.#granted + shortfallNanos, prefetch };
  }

  /**
   * Whether a state shows credit that is unknown here: granted to an acquire whose response never came. Only the response
   * to an acquire can be adopted, since an older state may show less than was spent.
   */
  hasUnknownCredit(state: LeaseState): boolean {
    return !this.#adopted && this.#pending === undefined && hasRemainingCredit(state);
  }

  /** Drops the open acquire, whose response can no longer come. */
  abandonAcquire(): void {
    this.#pending = undefined;
  }

  /**
   * Applies a state sent by the ledger.
   *
   * @returns true if it is the response to the open acquire, so its balance is current
   */
  applyState(state: LeaseState): boolean {
    const pending = this.#pending;
    const isResponse = pending !== undefined && state.sequence === pending.sequence;
    if (isResponse) this.#adopt(state);
    this.#raise(state);
    if (!isResponse) return false;
    this.#pending = undefined;
    this.#snapshot = {
      balanceNanos: state.balanceNanos,
      availableNanos: state.availableNanos,
      spentTotal: state.spentTotal,
    };
    this.#releaseDisputed(state.spentTotal + pending.unsettledAtSend + this.#charged - pending.chargedAtSend);
    return true;
  }

  /**
   * Applies the state sent when the session was reopened.
   *
   * @returns false when the ledger no longer knows credit that it had granted, which makes the session unusable
   */
  reconcile(state: LeaseState): boolean {
    if (state.grantedTotal < this.#granted) return false;
    this.#adopt(state);
    this.#raise(state);
    return true;
  }

  /**
   * The account may have been known earlier in this session and dropped when idle: its counters continue from there. Only
   * a state requested since then is safe; an older one that is still on its way could show less than was spent.
   */
  #adopt(state: LeaseState): void {
    if (this.#adopted) return;
    this.#adopted = true;
    this.#returned = state.returnedTotal;
    this.#charged = state.spentTotal;
  }

  #raise(state: LeaseState): void {
    if (!this.#adopted) return;
    if (state.grantedTotal > this.#granted) this.#granted = state.grantedTotal;
    if (state.returnedTotal > this.#returnedConfirmed) this.#returnedConfirmed = state.returnedTotal;
  }

  /** Charges acknowledged before the acquire was sent are in the state's `spentTotal`, or never will be. */
  #releaseDisputed(maxCharged: bigint): void {
    if (this.#disputed === 0n || this.#charged <= maxCharged) return;
    const part = minBigInt(this.#charged - maxCharged, this.#disputed);
    this.#charged -= part;
    this.#disputed -= part;
  }

  /** Marks all free credit as returned; the caller sends `returnedTotal`. @returns the amount */
  returnFree(): bigint {
    const free = this.freeNanos;
    if (free <= 0n) return 0n;
    this.#returned += free;
    return free;
  }

  /** Whether the ledger has not confirmed a return. */
  get returnUnconfirmed(): boolean {
    return this.#returnedConfirmed < this.#returned;
  }
}

/** Whether the session has credit that is granted, and neither spent nor returned. */
export function hasRemainingCredit(state: Pick<LeaseState, 'grantedTotal' | 'spentTotal' | 'returnedTotal'>): boolean {
  return state.grantedTotal > state.spentTotal + state.returnedTotal;
}
