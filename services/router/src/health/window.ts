import { SLOT_MS, WINDOW_MS } from './limits.ts';

const SLOTS = WINDOW_MS / SLOT_MS;

/** Counts successes and failures over the time of the window, in slots that are reused in turn. */
export class OutcomeWindow {
  readonly #successes = new Uint32Array(SLOTS);
  readonly #failures = new Uint32Array(SLOTS);
  #slot = 0;

  add(failed: boolean, nowMs: number): void {
    this.#moveTo(nowMs);
    const counts = failed ? this.#failures : this.#successes;
    const at = this.#slot % SLOTS;
    counts[at] = (counts[at] ?? 0) + 1;
  }

  totals(nowMs: number): { calls: number; failures: number } {
    this.#moveTo(nowMs);
    const failures = sum(this.#failures);
    return { calls: failures + sum(this.#successes), failures };
  }

  clear(): void {
    this.#successes.fill(0);
    this.#failures.fill(0);
  }

  #moveTo(nowMs: number): void {
    const slot = Math.floor(nowMs / SLOT_MS);
    // A clock that was set back must not empty the window: outcomes then count in the latest slot.
    const steps = Math.min(slot - this.#slot, SLOTS);
    for (let step = 0; step < steps; step += 1) {
      const at = (slot - step) % SLOTS;
      this.#successes[at] = 0;
      this.#failures[at] = 0;
    }
    this.#slot = Math.max(slot, this.#slot);
  }
}

function sum(counts: Uint32Array): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
