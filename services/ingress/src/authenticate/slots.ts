/** Lets a bounded number of tasks run at once; others wait in order, bounded in number and time. */
export class Slots {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** Takes a slot; false when none came free within `waitMs`, or too many wait. A taken slot must be released. */
  async take(waitMs: number): Promise<boolean> {
    if (this.#taken < this.#most) {
      this.#taken++;
      return true;
    }
    if (this.#waiting.size >= this.#mostWaiting) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        resolve(false);
      }, waitMs);
      const wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#waiting.add(wake);
    });
  }

  /** Gives a slot back: to the one waiting longest, if any. */
  release(): void {
    for (const wake of this.#waiting) {
      this.#waiting.delete(wake);
      wake();
      return;
    }
    this.#taken--;
  }
}
