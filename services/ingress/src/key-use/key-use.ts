import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { KeyUse as Use } from '@tollgate/proto/auth';
import { dropOldest } from '../drop-oldest.ts';

/** Keys whose use waits to be told: some 10 MB. Beyond, the one that waits longest is forgotten until it is used again. */
const MOST_KEYS = 100_000;
/** What auth takes in one report. */
const MOST_PER_REPORT = 10_000;

export interface KeyUseOptions {
  /** Tells auth of some uses; rejects when that failed. It is to end by itself. */
  tell: (uses: Use[]) => Promise<unknown>;
  /** Time between two reports. */
  intervalMs: number;
  logger: Logger;
  /** Most keys that are remembered. */
  mostKeys?: number;
}

/**
 * Remembers when each key was last used, and tells auth every so often, all of them together. No request waits for that;
 * what could not be told is told with the next report.
 */
export class KeyUse {
  readonly #options: KeyUseOptions;
  readonly #mostKeys: number;
  #lastUses = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #reporting: Promise<void> | undefined;
  #failing = false;

  constructor(options: KeyUseOptions) {
    this.#options = options;
    this.#mostKeys = options.mostKeys ?? MOST_KEYS;
  }

  start(): void {
    this.#schedule();
  }

  /** Notes a use, at a time in Unix milliseconds. */
  used(keyId: string, atMs: number): void {
    this.#lastUses.set(keyId, atMs);
    if (this.#lastUses.size > this.#mostKeys) dropOldest(this.#lastUses);
  }

  /** Tells what there is to tell, all of it if auth answers: each part has one try, and a failed one ends it. */
  report(): Promise<void> {
    this.#reporting ??= this.#reportAll().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  /** Tells what is left, once, and nothing afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    // A report that is under way may have begun before the last uses.
    await this.#reporting;
    await this.report();
  }

  #schedule(): void {
    this.#timer = setTimeout(async () => {
      await this.report();
      if (!this.#stopped) this.#schedule();
    }, this.#options.intervalMs);
    this.#timer.unref();
  }

  async #reportAll(): Promise<void> {
    const told = this.#lastUses;
    this.#lastUses = new Map();
    const uses: Use[] = [];
    for (const [keyId, atMs] of told) uses.push({ keyId, lastUsedAtMs: BigInt(atMs) });
    for (let from = 0; from < uses.length; from += MOST_PER_REPORT) {
      if (await this.#tell(uses.slice(from, from + MOST_PER_REPORT))) continue;
      this.#takeBack(uses.slice(from));
      return;
    }
  }

  async #tell(uses: Use[]): Promise<boolean> {
    const { tell, logger } = this.#options;
    try {
      await tell(uses);
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing) logger.warn({ reason: messageOf(error) }, 'auth did not take when keys were last used');
      this.#failing = true;
      return false;
    }
  }

  /** Later uses, noted meanwhile, stand. */
  #takeBack(uses: readonly Use[]): void {
    for (const { keyId, lastUsedAtMs } of uses) {
      if (this.#lastUses.size >= this.#mostKeys) return;
      if (!this.#lastUses.has(keyId)) this.#lastUses.set(keyId, Number(lastUsedAtMs));
    }
  }
}
