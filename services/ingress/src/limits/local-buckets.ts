import { type Bucket, type BucketTake, type LimitsReading, ROUNDING } from '@tollgate/common/limits/index';
import { LRUCache } from 'lru-cache';
import { type Level, levelAt, refillMs } from './flow.ts';

/** Token buckets of this process alone, used while Redis does not answer. They do what its script does. */
export class LocalBuckets {
  readonly #levels: LRUCache<string, Level>;

  /** @param max buckets remembered; one that was evicted counts as full */
  constructor(max: number) {
    this.#levels = new LRUCache({ max });
  }

  /** Takes from all buckets of an account or from none. */
  take(accountTag: string, buckets: readonly BucketTake[], nowMs: number): LimitsReading {
    const tokens = buckets.map((bucket) => this.#level(accountTag, bucket, nowMs));
    let lacking: LimitsReading['lacking'];
    buckets.forEach((bucket, place) => {
      const shortfall = bucket.amount - (tokens[place] ?? 0);
      const waitMs = shortfall <= ROUNDING ? 0 : Math.max(1, Math.ceil(refillMs(shortfall, bucket)));
      if (waitMs > (lacking?.waitMs ?? 0)) lacking = { place, waitMs };
    });
    if (lacking !== undefined) return { lacking, tokens };
    const left = buckets.map((bucket, place) =>
      this.#fill(accountTag, bucket, (tokens[place] ?? 0) - bucket.amount, nowMs),
    );
    return { lacking, tokens: left };
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
