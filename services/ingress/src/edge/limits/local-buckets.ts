import { type Bucket, type BucketTake, type LimitsResult, ROUNDING } from '@tollgate/common/limits/index';
import { LRUCache } from 'lru-cache';
import { type Level, levelAt, refillMs } from './bucket-levels.ts';

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
