import { LARGE_BYTES, type Stages } from '@tollgate/protocols/lists/stages';

/** Stages run in one turn of the event loop until they have taken this long together; at least one runs. */
const TURN_MS = 10;

/**
 * Shares the event loop between the processing of large bodies and everything else. Waiting stages run in order of arrival,
 * a few per turn: with ten large bodies, a short request would otherwise wait for a stage of each of them every time it
 * waits for the event loop.
 */
export class Turns {
  readonly #monotonicMs: () => number;
  readonly #waiting: (() => void)[] = [];
  #scheduled = false;

  constructor(monotonicMs: () => number = () => performance.now()) {
    this.#monotonicMs = monotonicMs;
  }

  /** Resolves when it is the caller's turn. Its work until it waits again counts towards the turn. */
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

  /** Resumes one waiter, and decides about the next one after its work, which runs as a microtask. */
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

/** One for the process: all large bodies share its event loop. */
const turns = new Turns();

/** Lets other work run between two stages of processing a large body. Does nothing for a small one. */
export type Pause = () => Promise<void> | undefined;

/** The pauses for processing a body of this size: a large one is processed in several turns of the event loop. */
export function pausesFor(bodyBytes: number): Pause {
  return bodyBytes > LARGE_BYTES ? () => turns.next() : noPause;
}

function noPause(): undefined {
  return undefined;
}

/** Runs all stages, with a pause between them. Without pauses it completes synchronously. */
export function runStages<T>(stages: Stages<T>, pause: Pause): T | Promise<T> {
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
    const waiting = pause();
    if (waiting !== undefined) return runRemaining(stages, pause, waiting);
  }
}

async function runRemaining<T>(stages: Stages<T>, pause: Pause, waiting: Promise<void>): Promise<T> {
  await waiting;
  for (;;) {
    const step = stages.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/**
 * Runs tasks of the same kind one after another, at the end of the event loop's iteration in which they were added. While
 * many requests are in progress, the code and the data that the tasks share then stay in the processor's caches from one
 * request to the next (Larus and Parkes, "Using Cohort Scheduling to Enhance Server Performance", 2002). Promises keep
 * requests together beyond the task, because their reactions run in order of arrival.
 *
 * A task that throws ends the process, as in any callback of the event loop.
 */
export class Cohort {
  #tasks: (() => void)[] = [];

  add(task: () => void): void {
    if (this.#tasks.push(task) === 1) setImmediate(() => this.#run());
  }

  #run(): void {
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  }
}
