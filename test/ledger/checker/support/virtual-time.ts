import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { newId } from '@tollgate/common/ids';
import { mulberry32 } from '@tollgate/test-support/random/mulberry32';

/** A simulated process: its timers stop with it. */
export interface Actor {
  readonly name: string;
  /** Its machine is paused: no timer fires and no message is read. */
  paused: boolean;
  /** It was killed: nothing of it ever runs again. */
  dead: boolean;
}

/** A stand-in for the object that `setTimeout` returns. */
class VirtualTimer {
  dueMs: number;
  readonly everyMs: number | undefined;
  readonly actor: Actor | undefined;
  readonly fire: () => void;
  readonly order: number;

  constructor(dueMs: number, everyMs: number | undefined, actor: Actor | undefined, fire: () => void, order: number) {
    this.dueMs = dueMs;
    this.everyMs = everyMs;
    this.actor = actor;
    this.fire = fire;
    this.order = order;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

const actors = new AsyncLocalStorage<Actor>();

/** Runs work as part of an actor: the timers it starts, now and later, are the actor's. */
export function asActor<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** The actor whose work is running, if any. */
export function currentActor(): Actor | undefined {
  return actors.getStore();
}

/**
 * Time that only advances explicitly. Once installed, it is the time of this process: of its clocks and of every timer. The
 * database's clock follows it (see `database.ts`), so an hour of waiting takes no time and is deterministic.
 */
export class VirtualTime {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<VirtualTimer>();

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Sets the time, earlier or later, and drops all timers: a new history begins. */
  reset(startMs: number): void {
    this.#nowMs = startMs;
    this.#timers.clear();
  }

  /** Seeds everything random, such as the delays between attempts and the order of new ids. */
  seed(seed: number): void {
    Math.random = mulberry32(seed);
    const ofIds = mulberry32(seed + 1);
    let filled = false;
    const randomFillSync = (bytes: Uint8Array) => {
      filled = true;
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.floor(ofIds() * 256);
      return bytes;
    };
    Object.assign(createRequire(import.meta.url)('node:crypto'), { randomFillSync });
    syncBuiltinESMExports();
    // Ids take their bytes from a pool, of which some are left.
    while (!filled) newId();
  }

  /** Replaces the process's time. It cannot be undone. */
  install(): void {
    const start =
      (repeats: boolean) =>
      (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
        this.#start(() => callback(...args), ms ?? 0, repeats);
    const stop = (timer: unknown) => {
      if (timer instanceof VirtualTimer) this.#timers.delete(timer);
    };
    const replacements = {
      setTimeout: start(false),
      setInterval: start(true),
      clearTimeout: stop,
      clearInterval: stop,
    };
    Object.assign(globalThis, replacements);
    Date.now = () => this.#nowMs;
    performance.now = () => this.#nowMs;
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController();
      this.#start(() => controller.abort(new DOMException('The operation timed out', 'TimeoutError')), ms, false);
      return controller.signal;
    };
    const require = createRequire(import.meta.url);
    Object.assign(require('node:timers/promises'), {
      setTimeout: <T>(ms: number, value: T, options?: { signal?: AbortSignal }) =>
        this.#delay(ms, value, options?.signal),
    });
    syncBuiltinESMExports();
  }

  #start(callback: () => void, ms: number, repeats: boolean): VirtualTimer {
    const after = Number.isFinite(ms) && ms > 1 ? ms : 1;
    const inContext = AsyncLocalStorage.snapshot();
    this.#order += 1;
    const timer = new VirtualTimer(
      this.#nowMs + after,
      repeats ? after : undefined,
      actors.getStore(),
      () => inContext(callback),
      this.#order,
    );
    this.#timers.add(timer);
    return timer;
  }

  #delay<T>(ms: number, value: T, signal: AbortSignal | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const aborted = () => {
        this.#timers.delete(timer);
        reject(new DOMException('The operation was aborted', 'AbortError'));
      };
      const timer = this.#start(
        () => {
          signal?.removeEventListener('abort', aborted);
          resolve(value);
        },
        ms,
        false,
      );
      if (signal?.aborted) aborted();
      else signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  /**
   * Advances time and fires due timers in order.
   *
   * @param settled called after each moment at which timers fired, and once more at the end
   */
  async advance(ms: number, settled: () => Promise<void>): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      if (next.everyMs === undefined) this.#timers.delete(next);
      else next.dueMs = this.#nowMs + next.everyMs;
      next.fire();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }

  /** Advances time without firing timers, as while every process is paused. */
  skip(ms: number): void {
    this.#nowMs += ms;
  }

  /** Delays an actor's timers, as after the suspension of its machine. */
  putOff(actor: Actor, ms: number): void {
    for (const timer of this.#timers) if (timer.actor === actor) timer.dueMs += ms;
  }

  #next(untilMs: number): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.actor?.dead === true) this.#timers.delete(timer);
      else if (timer.dueMs <= untilMs && timer.actor?.paused !== true && comesBefore(timer, first)) first = timer;
    }
    return first;
  }
}

function comesBefore(timer: VirtualTimer, other: VirtualTimer | undefined): boolean {
  if (other === undefined) return true;
  return timer.dueMs < other.dueMs || (timer.dueMs === other.dueMs && timer.order < other.order);
}
