import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Released bytes that are worth a collection. */
const MIN_RELEASED_BYTES = 32 * 1024 * 1024;
/** A collection waits until nothing was released for this long. */
const QUIET_MS = 10_000;

/**
 * Collects garbage after a burst of large buffers. V8 only collects when it allocates, so an idle process would keep their
 * memory. During the burst collection is left to V8.
 */
export class GarbageCollector {
  readonly #collect: () => void;
  readonly #quietMs: number;
  #releasedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(collect = fullCollection(), quietMs = QUIET_MS) {
    this.#collect = collect;
    this.#quietMs = quietMs;
  }

  /** Call it when buffers of this size are no longer referenced. */
  released(bytes: number): void {
    this.#releasedBytes += bytes;
    if (this.#releasedBytes < MIN_RELEASED_BYTES) return;
    this.#timer ??= setTimeout(() => this.#run(), this.#quietMs).unref();
    this.#timer.refresh();
  }

  #run(): void {
    this.#timer = undefined;
    this.#releasedBytes = 0;
    this.#collect();
  }
}

/** V8's own function, which Node.js only exposes with a flag. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => void collect() : () => undefined;
}
