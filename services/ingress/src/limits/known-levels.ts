import { LRUCache } from 'lru-cache';
import type { BucketLimit } from './applicable.ts';
import { fullAtMs, type Level, levelAt } from './flow.ts';

interface RecordedLevel extends Level {
  /** The rate it was counted with: a level says nothing about another limit of the same name. */
  perMinute: number;
}

/**
 * The last known levels of the buckets in Redis that all processes share. Others may have taken since, so a bucket
 * holds at most what was left then and was refilled since. That suffices to reject requests without asking Redis, so
 * that a flood beyond a limit costs Redis little more than the accepted requests.
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
   * The most tokens that the bucket can hold now, unless some were returned; undefined when nothing is known or it may
   * be full.
   */
  upperBound(accountTag: string, limit: BucketLimit, nowMs: number): number | undefined {
    const level = this.#levels.get(`${accountTag}:${limit.bucket}`);
    return level?.perMinute === limit.perMinute && nowMs < fullAtMs(level, limit)
      ? levelAt(level, limit, nowMs)
      : undefined;
  }
}
