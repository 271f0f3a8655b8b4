import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { KeyUse as Use } from '@tollgate/proto/auth';

/** Keys whose use waits to be reported: some 10 MB. Beyond, the oldest use is dropped. */
const MAX_KEYS = 100_000;
/** What auth accepts in one report. */
const MAX_PER_REPORT = 10_000;

export interface KeyUseOptions {
  /** Reports some uses to auth, within a time limit; rejects when that failed. */
  send: (uses: Use[]) => Promise<unknown>;
  /** Time between two reports. */
  intervalMs: number;
  logger: Logger;
  maxKeys?: number;
}

/**
 * Remembers when each key was last used, and reports it to auth at intervals, for all keys together. No request waits for
 * that. Uses that could not be reported are part of the next report.
 */
export class KeyUse {
  readonly #options: KeyUseOptions;
  readonly #maxKeys: number;
  #lastUses = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #reporting: Promise<void> | undefined;
  #failing = false;

  constructor(options: KeyUseOptions) {
    this.#options = options;
    this.#maxKeys = options.maxKeys ?? MAX_KEYS;
  }

  start(): void {
    this.#schedule();
  }

  /** Records a use, at a time in Unix milliseconds. */
  used(keyId: string, atMs: number): void {
    this.#lastUses.set(keyId, atMs);
    if (this.#lastUses.size > this.#maxKeys) this.#dropOldest();
  }

  /** Reports all recorded uses, in several parts if necessary. A part that fails is not retried and ends the report. */
  report(): Promise<void> {
    this.#reporting ??= this.#reportAll().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  /** Reports what is left, once, and nothing afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    // A report in progress may have begun before the last uses.
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
    const lastUses = this.#lastUses;
    this.#lastUses = new Map();
    const uses: Use[] = [];
    for (const [keyId, atMs] of lastUses) uses.push({ keyId, lastUsedAtMs: BigInt(atMs) });
    for (let from = 0; from < uses.length; from += MAX_PER_REPORT) {
      if (await this.#send(uses.slice(from, from + MAX_PER_REPORT))) continue;
      this.#restore(uses.slice(from));
      return;
    }
  }

  async #send(uses: Use[]): Promise<boolean> {
    const { send, logger } = this.#options;
    try {
      await send(uses);
      this.#failing = false;
      return true;
    } catch (error) {
      if (!this.#failing)
        logger.warn({ reason: messageOf(error) }, 'the last uses of keys could not be reported to auth');
      this.#failing = true;
      return false;
    }
  }

  /** Puts back uses that were not reported; those recorded meanwhile are later. */
  #restore(uses: readonly Use[]): void {
    for (const { keyId, lastUsedAtMs } of uses) {
      if (this.#lastUses.size >= this.#maxKeys) return;
      if (!this.#lastUses.has(keyId)) this.#lastUses.set(keyId, Number(lastUsedAtMs));
    }
  }

  #dropOldest(): void {
    for (const oldest of this.#lastUses.keys()) {
      this.#lastUses.delete(oldest);
      return;
    }
  }
}
