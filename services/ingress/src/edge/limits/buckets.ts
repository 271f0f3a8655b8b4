import { type Bucket, type BucketTake, type LimitsResult, ROUNDING } from '@tollgate/common/limits/index';
import { LRUCache } from 'lru-cache';
import type { BucketLimit } from './applicable.ts';

const MINUTE_MS = 60_000;

/** The tokens of a bucket at a time. */
export interface Level {
  tokens: number;
  atMs: number;
}

/** The time to refill a number of tokens, in fractional milliseconds. */
export function refillMs(tokens: number, { perMinute }: Pick<Bucket, 'perMinute'>): number {
  return (tokens * MINUTE_MS) / perMinute;
}

/** The tokens in a bucket now if none were taken since. */
function levelAt({ tokens, atMs }: Level, { perMinute, size }: Bucket, nowMs: number): number {
  return Math.min(size, tokens + ((nowMs - atMs) * perMinute) / MINUTE_MS);
}

/** When a bucket is full if no more tokens are taken. */
function fullAtMs({ tokens, atMs }: Level, bucket: Bucket): number {
  return atMs + refillMs(bucket.size - tokens, bucket);
}

interface RecordedLevel extends Level {
  /** The rate it was computed with: after a change of the limit, the level is meaningless. */
  perMinute: number;
}

/**
 * The last known levels of the buckets in Redis that all processes share. Others may have taken since, so a bucket
 * holds at most what was left then and was refilled since. That suffices to reject requests without calling Redis, so
 * that a flood beyond a limit costs Redis little more than the accepted requests.
 */
export class KnownLevels {
  readonly #levels: LRUCache<string, RecordedLevel>;

  constructor(max: number) {
    this.#levels = new LRUCache({ max });
  }

  /** @param calledAtMs when Redis was called: the level was computed later */
  record(accountTag: string, limit: BucketLimit, tokens: number, calledAtMs: number): void {
    const level = { tokens, perMinute: limit.perMinute, atMs: calledAtMs };
    this.#levels.set(`${accountTag}:${limit.bucket}`, level);
  }

  /** The maximum that a bucket can hold now unless tokens were returned; undefined if unknown or possibly full. */
  upperBound(accountTag: string, limit: BucketLimit, nowMs: number): number | undefined {
    const level = this.#levels.get(`${accountTag}:${limit.bucket}`);
    return level?.perMinute === limit.perMinute && nowMs < fullAtMs(level, limit)
      ? levelAt(level, limit, nowMs)
      : undefined;
  }
}

/** Token buckets of this process alone, used while Redis does not respond. They behave like its script. */
export class LocalBuckets {
  readonly #levels: LRUCache<string, Level>;

  /** @param max buckets remembered; one that was evicted counts as full */
  constructor(max: number) {
    this.#levels = new LRUCache({ max });
  }

  /** Takes from all buckets of an account or from none. */
  take(accountTag: string, buckets: readonly BucketTake[], nowMs: number): LimitsResult {
    const tokens = buckets.map((bucket) => this.#level(accountTag, bucket, nowMs));
    let reached: LimitsResult['reached'];
    buckets.forEach((bucket, index) => {
      const shortfall = bucket.amount - (tokens[index] ?? 0);
      const waitMs = shortfall <= ROUNDING ? 0 : Math.max(1, Math.ceil(refillMs(shortfall, bucket)));
      if (waitMs > (reached?.waitMs ?? 0)) reached = { index, waitMs };
    });
    if (reached !== undefined) return { reached, tokens };
    const left = buckets.map((bucket, index) =>
      this.#fill(accountTag, bucket, (tokens[index] ?? 0) - bucket.amount, nowMs),
    );
    return { reached, tokens: left };
  }

  /** Corrects buckets, up to full and down to one minute's refill below zero. */
  correct(accountTag: string, buckets: readonly BucketTake[], nowMs: number): void {
    for (const bucket of buckets) {
      const tokens = this.#level(accountTag, bucket, nowMs) - bucket.amount;
      this.#fill(accountTag, bucket, Math.max(-bucket.perMinute, Math.min(bucket.size, tokens)), nowMs);
    }
  }

  #level(accountTag: string, bucket: Bucket, nowMs: number): number {
    const level = this.#levels.get(`${accountTag}:${bucket.bucket}`);
    return level === undefined ? bucket.size : levelAt(level, bucket, nowMs);
  }

  #fill(accountTag: string, bucket: Bucket, tokens: number, nowMs: number): number {
    this.#levels.set(`${accountTag}:${bucket.bucket}`, { tokens, atMs: nowMs });
    return tokens;
  }
}
