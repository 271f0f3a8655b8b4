import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes whose release is worth a collection. */
const WORTH_BYTES = 32 * 1024 * 1024;
/** How long nothing large must have been released. */
const QUIET_MS = 10_000;

/**
 * Collects garbage once a flood of large buffers is over. A process that has nothing more to do allocates nothing, and so
 * would keep their memory for as long: V8 collects when it needs room. While the flood lasts it is left to V8.
 */
export class GarbageCollection {
  readonly #collect: () => void;
  readonly #quietMs: number;
  #releasedBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(collect = fullCollection(), quietMs = QUIET_MS) {
    this.#collect = collect;
    this.#quietMs = quietMs;
  }

  /** To be called when nothing refers any more to buffers of so many bytes. */
  released(bytes: number): void {
    this.#releasedBytes += bytes;
    if (this.#releasedBytes < WORTH_BYTES) return;
    this.#timer ??= setTimeout(() => this.#run(), this.#quietMs).unref();
    this.#timer.refresh();
  }

  #run(): void {
    this.#timer = undefined;
    this.#releasedBytes = 0;
    this.#collect();
  }
}

/** V8's own function, which Node.js does not hand out unless it is started for it. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => void collect() : () => undefined;
}
