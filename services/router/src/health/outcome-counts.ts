import { OutcomeKind } from '@tollgate/proto/router';

/** The time that counts cover, and the part of it by which they move. */
export const COUNTED_MS = 900_000;
const SLOT_MS = 60_000;
const SLOTS = COUNTED_MS / SLOT_MS;

/** What happened in one slot. */
interface Slot {
  number: number;
  successes: number;
  failures: number;
  timeouts: number;
  rateLimited: number;
  credentialsRefused: number;
  /** Of the successes together. */
  durationMs: number;
}

export type OutcomeTotals = Omit<Slot, 'number'>;

/** An outcome, as far as it is counted. */
export interface CountedOutcome {
  kind: OutcomeKind;
  durationMs: number;
  /** 0: no response. */
  httpStatus: number;
}

/** Counts the outcomes of one deployment for operators, over the last 15 minutes. */
export class OutcomeCounts {
  readonly #slots: Slot[] = Array.from({ length: SLOTS }, () => emptySlot(-1));
  /** Unix milliseconds; 0: none. */
  lastSuccessAtMs = 0;
  lastFailureAtMs = 0;
  lastFailureStatus = 0;

  record({ kind, durationMs, httpStatus }: CountedOutcome, nowMs: number): void {
    const slot = this.#slotOf(nowMs);
    switch (kind) {
      case OutcomeKind.SUCCESS:
        slot.successes += 1;
        slot.durationMs += durationMs;
        this.lastSuccessAtMs = nowMs;
        return;
      case OutcomeKind.FAILURE:
        slot.failures += 1;
        break;
      case OutcomeKind.TIMEOUT:
        slot.timeouts += 1;
        break;
      case OutcomeKind.RATE_LIMITED:
        slot.rateLimited += 1;
        break;
      case OutcomeKind.CREDENTIAL_REFUSED:
        slot.credentialsRefused += 1;
        break;
      case OutcomeKind.NEUTRAL:
      case OutcomeKind.UNSPECIFIED:
        return;
      default:
        // A newer version may send kinds that this one does not know.
        kind satisfies never;
        return;
    }
    this.lastFailureAtMs = nowMs;
    this.lastFailureStatus = httpStatus;
  }

  totals(nowMs: number): OutcomeTotals {
    const oldest = numberOf(nowMs) - SLOTS;
    const totals = emptySlot(0);
    for (const slot of this.#slots) {
      if (slot.number <= oldest) continue;
      totals.successes += slot.successes;
      totals.failures += slot.failures;
      totals.timeouts += slot.timeouts;
      totals.rateLimited += slot.rateLimited;
      totals.credentialsRefused += slot.credentialsRefused;
      totals.durationMs += slot.durationMs;
    }
    return totals;
  }

  /** The slot of a time, emptied when it is used again. */
  #slotOf(nowMs: number): Slot {
    const number = numberOf(nowMs);
    const at = number % SLOTS;
    const known = this.#slots[at];
    if (known?.number === number) return known;
    const slot = emptySlot(number);
    this.#slots[at] = slot;
    return slot;
  }
}

function numberOf(nowMs: number): number {
  return Math.floor(nowMs / SLOT_MS);
}

function emptySlot(number: number): Slot {
  return { number, successes: 0, failures: 0, timeouts: 0, rateLimited: 0, credentialsRefused: 0, durationMs: 0 };
}
