/** Lets a bounded number of tasks run at once; others wait in order, bounded in number and time. */
export class Semaphore {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #acquired = 0;

  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves to true once acquired, to be followed by `release`; to false after `waitMs`, or if too many wait. */
  async acquire(waitMs: number): Promise<boolean> {
    if (this.#acquired < this.#max) {
      this.#acquired++;
      return true;
    }
    if (this.#waiting.size >= this.#maxWaiting) return false;
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

  /** Releases one; the longest waiting task acquires it. */
  release(): void {
    for (const wake of this.#waiting) {
      this.#waiting.delete(wake);
      wake();
      return;
    }
    this.#acquired--;
  }
}
