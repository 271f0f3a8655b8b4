/** Where the simulator takes the time from, and with which it does things later. */
export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  after: (ms: number, task: () => void) => void;
  /** Forgets what is scheduled. */
  stop: () => void;
}

/** The time of this machine. */
export class SystemClock implements Clock {
  readonly #timers = new Set<NodeJS.Timeout>();

  now(): number {
    return Date.now();
  }

  after(ms: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, ms).unref();
    this.#timers.add(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

/** A clock that only tests move. */
export class TestClock implements Clock {
  #now: number;
  #tasks: { at: number; task: () => void }[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, task: () => void): void {
    this.#tasks.push({ at: this.#now + ms, task });
  }

  /** Moves the time, doing on the way what falls due, in the order of its time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#takeDue(end); next !== undefined; next = this.#takeDue(end)) {
      this.#now = Math.max(this.#now, next.at);
      next.task();
    }
    this.#now = end;
  }

  stop(): void {
    this.#tasks = [];
  }

  #takeDue(end: number): { at: number; task: () => void } | undefined {
    let first: { at: number; task: () => void } | undefined;
    for (const task of this.#tasks) if (task.at <= end && (first === undefined || task.at < first.at)) first = task;
    if (first !== undefined) this.#tasks.splice(this.#tasks.indexOf(first), 1);
    return first;
  }
}
