import type { AcquireCredit, LeaseState } from '@tollgate/proto/ledger';

/** The acquire that is under way, with what was unsettled when it was sent. */
interface PendingAcquire {
  sequence: bigint;
  sentAtMs: number;
  unsettledAtSend: bigint;
  chargedAtSend: bigint;
}

/** What the account's balance was when the ledger answered the last acquire. */
interface BalanceSnapshot {
  balanceNanos: bigint;
  availableNanos: bigint;
  /** This lease's settled charges that the balance no longer holds. */
  spentTotal: bigint;
}

/**
 * The arithmetic of one account's lease in one session; no input or output, no clock. All counters are cumulative over
 * the session, so a state that is lost, repeated or overtaken by another heals with the next one.
 *
 * What may still be held is `granted - returned - charged - held`. Nothing the ledger says can raise it above what the
 * ledger keeps covered, because `returned` is raised before a return is sent and `charged` before a charge is.
 */
export class AccountLease {
  readonly accountId: string;
  /** While set, no new hold may take what is free. */
  barred = false;
  #granted = 0n;
  #returned = 0n;
  #charged = 0n;
  #held = 0n;
  /** Charged, and not yet acknowledged by the ledger. */
  #unsettled = 0n;
  /** Acknowledged, yet not (or not wholly) taken from the lease: the ledger quarantined it or booked a loss. */
  #disputed = 0n;
  #returnedConfirmed = 0n;
  #pending: PendingAcquire | undefined;
  #snapshot: BalanceSnapshot | undefined;
  #adopted = false;

  constructor(accountId: string) {
    this.accountId = accountId;
  }

  /** Credit that a new hold may take now. */
  get freeNanos(): bigint {
    return this.#granted - this.#returned - this.#charged - this.#held;
  }

  get heldNanos(): bigint {
    return this.#held;
  }

  /** What open holds and charges that are not acknowledged may still take from the lease. */
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

  /** The part of the balance that no lease covered at the last answer. */
  get availableNanos(): bigint {
    return this.#snapshot?.availableNanos ?? 0n;
  }

  /** The account's whole balance less what was charged here and not yet settled; undefined before the first answer. */
  get wholeBalanceNanos(): bigint | undefined {
    if (this.#snapshot === undefined) return undefined;
    return this.#snapshot.balanceNanos - (this.#charged - this.#snapshot.spentTotal);
  }

  /** Whether forgetting the lease loses nothing: the ledger knows all that is known here. */
  get dormant(): boolean {
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
    if (this.barred || this.freeNanos < nanos) return false;
    this.#held += nanos;
    return true;
  }

  /** Ends a hold, of which `chargedNanos` (at most the hold) was spent. */
  endHold(heldNanos: bigint, chargedNanos: bigint): void {
    this.#held -= heldNanos;
    this.#charged += chargedNanos;
    this.#unsettled += chargedNanos;
  }

  /** Notes that the ledger acknowledged a charge; `disputed` when it did not take all of it from the lease. */
  acknowledge(chargedNanos: bigint, disputed: boolean): void {
    this.#unsettled -= chargedNanos;
    if (disputed) this.#disputed += chargedNanos;
  }

  /**
   * The message that asks for `lackNanos` more than is granted. Replaces an acquire that was given up.
   *
   * @param ahead it is asked for before it is needed
   */
  beginAcquire(sequence: bigint, lackNanos: bigint, nowMs: number, ahead = false): AcquireCredit {
    this.#pending = {
      sequence,
      sentAtMs: nowMs,
      unsettledAtSend: this.#unsettled,
      chargedAtSend: this.#charged,
    };
    return { accountId: this.accountId, sequence, grantedTotalNeeded: this.#granted + lackNanos, ahead };
  }

  /**
   * Whether a state tells of credit that is not known here: granted to an acquire whose answer never came. It cannot be
   * taken over from any state but the answer to an acquire, since an older one may tell less than was spent.
   */
  isMissing(state: LeaseState): boolean {
    return !this.#adopted && this.#pending === undefined && coversCredit(state);
  }

  /** Forgets the acquire under way, whose answer can no longer come. */
  abandonAcquire(): void {
    this.#pending = undefined;
  }

  /**
   * Takes in a state from the ledger.
   *
   * @returns true when it answers the acquire under way, which makes the balance it tells the current one
   */
  applyState(state: LeaseState): boolean {
    const pending = this.#pending;
    const answers = pending !== undefined && state.sequence === pending.sequence;
    if (answers) this.#adopt(state);
    this.#raise(state);
    if (!answers) return false;
    this.#pending = undefined;
    this.#snapshot = {
      balanceNanos: state.balanceNanos,
      availableNanos: state.availableNanos,
      spentTotal: state.spentTotal,
    };
    this.#giveBackDisputed(state.spentTotal + pending.unsettledAtSend + this.#charged - pending.chargedAtSend);
    return true;
  }

  /**
   * Takes in the state told when the session was opened again.
   *
   * @returns false when the ledger has forgotten credit it had granted, which makes the session unusable
   */
  reconcile(state: LeaseState): boolean {
    if (state.grantedTotal < this.#granted) return false;
    this.#adopt(state);
    this.#raise(state);
    return true;
  }

  /**
   * The account may have been known earlier in this session and forgotten when idle: its counters go on from there. Only
   * a state asked for since then will do; an older one on its way could tell less than was spent.
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

  /** Whatever was acknowledged before the acquire was sent is in the state's spent total, or will never be. */
  #giveBackDisputed(mostCharged: bigint): void {
    if (this.#disputed === 0n || this.#charged <= mostCharged) return;
    const part = smaller(this.#charged - mostCharged, this.#disputed);
    this.#charged -= part;
    this.#disputed -= part;
  }

  /** Declares all free credit returned; the ledger is to be told `returnedTotal`. @returns how much that was */
  returnFree(): bigint {
    const free = this.freeNanos;
    if (free <= 0n) return 0n;
    this.#returned += free;
    return free;
  }

  /** Whether a return was sent that the ledger has not confirmed. */
  get returnUnconfirmed(): boolean {
    return this.#returnedConfirmed < this.#returned;
  }
}

/** Whether the ledger still covers something for the session: granted, and neither spent nor returned. */
export function coversCredit(state: Pick<LeaseState, 'grantedTotal' | 'spentTotal' | 'returnedTotal'>): boolean {
  return state.grantedTotal > state.spentTotal + state.returnedTotal;
}

/** The smaller of two amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
