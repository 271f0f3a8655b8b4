import { LRUCache } from 'lru-cache';
import type { BucketLimit } from './applicable.ts';
import { fullAtMs, type Level, levelAt } from './flow.ts';

interface RecordedLevel extends Level {
  /** What it was counted with: levels of other limits under the same name say nothing. */
  perMinute: number;
}

/**
 * What this process was told last of the buckets that all share. Others may have taken meanwhile, so there is at most what
 * was left then and has flowed in since: enough to refuse without asking, so that a flood beyond the limit costs Redis
 * little more than what is accepted.
 */
export class KnownLevels {
  readonly #levels: LRUCache<string, RecordedLevel>;

  constructor(max: number) {
    this.#levels = new LRUCache({ max });
  }

  /** @param askedAtMs when Redis was asked: the level was counted later */
  record(accountTag: string, limit: BucketLimit, tokens: number, askedAtMs: number): void {
    const level = { tokens, perMinute: limit.perMinute, atMs: askedAtMs };
    this.#levels.set(`${accountTag}:${limit.bucket}`, level);
  }

  /**
   * The most tokens that the bucket can hold now, unless some were given back; undefined when nothing is known or it may
   * be full.
   */
  upperBound(accountTag: string, limit: BucketLimit, nowMs: number): number | undefined {
    const level = this.#levels.get(`${accountTag}:${limit.bucket}`);
    return level?.perMinute === limit.perMinute && nowMs < fullAtMs(level, limit)
      ? levelAt(level, limit, nowMs)
      : undefined;
  }
}
