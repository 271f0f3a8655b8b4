/** Stages run in one turn of the event loop until they have taken so long together; one always runs. */
const TURN_MS = 10;

/**
 * Shares the event loop between the work on all large bodies and everything else. Those who wait go on in the order in
 * which they came, few in one turn: with ten large bodies in work, a short request would otherwise wait for a stage of
 * each of them whenever it waits for the event loop.
 */
export class Turns {
  readonly #monotonicMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #scheduled = false;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Resolves when it is the caller's turn. What it does before it waits again counts for the turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#scheduled) this.#schedule();
    });
  }

  #schedule(): void {
    this.#scheduled = true;
    setImmediate(() => this.#run(this.#monotonicMs() + TURN_MS));
  }

  /** Lets one go on, and decides about the one behind it when the work of the first, a microtask, is done. */
  #run(endsAtMs: number): void {
    this.#waiting.shift()?.();
    queueMicrotask(() => {
      this.#scheduled = this.#waiting.length > 0;
      if (!this.#scheduled) return;
      if (this.#monotonicMs() < endsAtMs) this.#run(endsAtMs);
      else this.#schedule();
    });
  }
}
