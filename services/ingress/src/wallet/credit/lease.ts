import { BALANCE } from '@tollgate/common/cap-periods';
import { atLeastZero, minBigInt } from '@tollgate/common/money';
import type { Ceiling, CeilingState, Need } from '@tollgate/proto/ledger';
import type { CeilingStatus } from '../../shared/limits/ceilings.ts';
import { ceilingName, type Limit, type NodeCeiling } from './ceiling.ts';

/** An open acquire, with what was charged and unsettled when it was sent. */
interface PendingAcquire {
  unsettledAtSend: bigint;
  chargedAtSend: bigint;
}

/** What the ledger reported of the ceiling in its response to the latest acquire. */
interface Snapshot {
  sequence: bigint;
  leftNanos: bigint;
  availableNanos: bigint;
  /** The part of what is left that other sessions had. */
  elsewhereNanos: bigint;
  /** Settled charges of this lease, which `leftNanos` no longer includes. */
  spentTotal: bigint;
}

/** A prefetch begins when free credit suffices for fewer than this many recent holds, and aims at twice as many. */
const LOW_WATER_HOLDS = 4n;

/**
 * The arithmetic of one session's lease of one ceiling; no I/O, no clock. All counters are cumulative over the session,
 * so the next state corrects one that was lost, repeated or overtaken.
 *
 * The remaining credit is `granted - returned - charged - held`. No state can raise it above what the ledger has leased,
 * because `returned` is raised before a return is sent, and `charged` before a charge is.
 *
 * When a node's limit changes, the lease was granted under the old one. It is returned, and stays frozen until the ledger,
 * which then knows the new limit, confirms that all leases are within it.
 */
export class Lease {
  /** The node's ceiling; undefined: the account's balance. */
  readonly ceiling: NodeCeiling | undefined;
  readonly name: Ceiling;
  /** When a hold was last taken, or a request last waited. */
  lastUsedMs = 0;
  prefetchNotBeforeMs = 0;
  #limit: Limit | undefined;
  #frozen = false;
  #granted = 0n;
  #returned = 0n;
  #charged = 0n;
  #held = 0n;
  /** Charged and not yet acknowledged by the ledger. */
  #unsettled = 0n;
  /** Acknowledged but not (fully) taken from the lease: the ledger quarantined it or booked a loss. */
  #disputed = 0n;
  #returnedConfirmed = 0n;
  #recentHold = 0n;
  /** By sequence. */
  readonly #pending = new Map<bigint, PendingAcquire>();
  #snapshot: Snapshot | undefined;
  #adopted = false;

  constructor(node?: { ceiling: NodeCeiling; limit: Limit }) {
    this.ceiling = node?.ceiling;
    this.name = node === undefined ? BALANCE : ceilingName(node.ceiling);
    this.#limit = node?.limit;
  }

  get frozen(): boolean {
    return this.#frozen;
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

  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** The part of what is left that was not leased at the last response. */
  get availableNanos(): bigint {
    return this.#snapshot?.availableNanos ?? 0n;
  }

  /** What all sessions can spend, less what was charged here and not yet settled; undefined before the first response. */
  get leftNanos(): bigint | undefined {
    if (this.#snapshot === undefined) return undefined;
    return this.#snapshot.leftNanos - (this.#charged - this.#snapshot.spentTotal);
  }

  /** What is known of the ceiling; undefined before the first response. */
  get status(): CeilingStatus | undefined {
    if (this.#snapshot === undefined) return undefined;
    const signedLeft = this.leftNanos ?? 0n;
    const leftNanos = atLeastZero(signedLeft);
    const heldNanos = minBigInt(this.#snapshot.elsewhereNanos + this.#held, leftNanos);
    if (this.ceiling === undefined) return { window: null, leftNanos, heldNanos };
    const { nodeId, period, startMs } = this.ceiling;
    const limitNanos = this.#limit?.nanos ?? 0n;
    const spentNanos = limitNanos - signedLeft;
    return { nodeId, window: period, startMs, limitNanos, spentNanos, leftNanos, heldNanos };
  }

  /** Whether the lease can be dropped: the ledger knows everything that is known here. */
  get idle(): boolean {
    return (
      this.#held === 0n &&
      this.#unsettled === 0n &&
      this.#pending.size === 0 &&
      this.#returnedConfirmed === this.#returned &&
      this.freeNanos === 0n
    );
  }

  /** Takes the limit of a request's node, if its revision is newer, and freezes the lease. @returns whether it is newer */
  updateLimit(limit: Limit): boolean {
    if (this.#limit === undefined || limit.revision <= this.#limit.revision) return false;
    this.#limit = limit;
    this.#frozen = true;
    return true;
  }

  canHold(nanos: bigint): boolean {
    return !this.#frozen && this.freeNanos >= nanos;
  }

  /** Takes a hold, which must be possible. */
  hold(nanos: bigint): void {
    this.#held += nanos;
    this.#recentHold = this.#recentHold === 0n ? nanos : this.#recentHold + ((nanos - this.#recentHold) >> 3n);
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

  /** How much to acquire before it is needed: within what the ledger had last, so that no other ingress is recalled for it. */
  prefetchNanos(nowMs: number): bigint {
    const low = this.#recentHold * LOW_WATER_HOLDS;
    if (this.freeNanos >= low || this.hasPending || nowMs < this.prefetchNotBeforeMs) return 0n;
    const nanos = minBigInt(low * 2n - this.freeNanos, this.availableNanos / 2n);
    return nanos >= this.#recentHold ? nanos : 0n;
  }

  /** Begins an acquire of `shortfallNanos` more than is granted. */
  beginAcquire(sequence: bigint, shortfallNanos: bigint): Need {
    this.#pending.set(sequence, { unsettledAtSend: this.#unsettled, chargedAtSend: this.#charged });
    return {
      ceiling: this.name,
      grantedTotalNeeded: this.#granted + shortfallNanos,
      limitNanos: this.#limit?.nanos ?? 0n,
      revision: this.#limit?.revision ?? 0n,
    };
  }

  /** Drops an open acquire, whose response can no longer come; all without a sequence. */
  abandonAcquire(sequence?: bigint): void {
    if (sequence === undefined) this.#pending.clear();
    else this.#pending.delete(sequence);
  }

  /**
   * Whether a state shows credit that is unknown here: granted to an acquire whose response never came. Only the response
   * to an acquire can be adopted, since an older state may show less than was spent.
   */
  hasUnknownCredit(state: CeilingState): boolean {
    return !this.#adopted && !this.hasPending && hasRemainingCredit(state);
  }

  /**
   * Applies a state sent by the ledger.
   *
   * @param sequence the acquire that it responds to; 0 for other messages
   */
  applyState(sequence: bigint, state: CeilingState): void {
    const pending = this.#pending.get(sequence);
    if (pending !== undefined) this.#adopt(state);
    this.#raise(state);
    // Another ingress may know a later limit.
    if (this.ceiling !== undefined) this.updateLimit({ nanos: state.limitNanos, revision: state.revision });
    const isCurrent = state.revision >= (this.#limit?.revision ?? 0n);
    if (sequence > 0n && !state.short && isCurrent) this.#frozen = false;
    if (pending === undefined) return;
    this.#pending.delete(sequence);
    const { leftNanos, availableNanos, spentTotal } = state;
    const ownNanos = state.grantedTotal - spentTotal - state.returnedTotal;
    const elsewhereNanos = atLeastZero(leftNanos - availableNanos - ownNanos);
    // Responses to acquires of different requests may overtake each other.
    if (sequence > (this.#snapshot?.sequence ?? 0n)) {
      this.#snapshot = { sequence, leftNanos, availableNanos, elsewhereNanos, spentTotal };
    }
    this.#releaseDisputed(spentTotal + pending.unsettledAtSend + this.#charged - pending.chargedAtSend);
  }

  /**
   * Applies the state sent when the session was reopened.
   *
   * @returns false when the ledger no longer knows credit that it had granted, which makes the session unusable
   */
  reconcile(state: CeilingState): boolean {
    if (state.grantedTotal < this.#granted) return false;
    this.#adopt(state);
    this.#raise(state);
    return true;
  }

  /**
   * The ceiling may have been known earlier in this session and dropped when idle: its counters continue from there. Only
   * a state requested since then is safe; an older one that is still on its way could show less than was spent.
   */
  #adopt(state: CeilingState): void {
    if (this.#adopted) return;
    this.#adopted = true;
    this.#returned = state.returnedTotal;
    this.#charged = state.spentTotal;
  }

  #raise(state: CeilingState): void {
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
export function hasRemainingCredit(
  state: Pick<CeilingState, 'grantedTotal' | 'spentTotal' | 'returnedTotal'>,
): boolean {
  return state.grantedTotal > state.spentTotal + state.returnedTotal;
}
