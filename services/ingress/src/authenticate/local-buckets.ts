import type { BucketTake } from '@tollgate/common/keys/index';
import { Recent } from './recent.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Token buckets of this process alone, for the time in which Redis does not answer. */
export class LocalBuckets {
  readonly #buckets: Recent<Bucket>;

  constructor(most: number) {
    this.#buckets = new Recent(most);
  }

  /** Takes one token of an account's bucket; returns how long to wait when there is none, else 0. */
  take(accountTag: string, take: BucketTake, nowMs: number): number {
    const name = `${accountTag}:${take.bucket}`;
    const perMs = take.perMinute / 60_000;
    const bucket = this.#buckets.get(name, nowMs) ?? { tokens: take.burst, atMs: nowMs };
    bucket.tokens = Math.min(take.burst, bucket.tokens + (nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    const lacking = 1 - bucket.tokens;
    if (lacking <= 0) bucket.tokens -= 1;
    this.#buckets.set(name, bucket, nowMs + (take.burst - bucket.tokens) / perMs);
    return lacking > 0 ? Math.ceil(lacking / perMs) : 0;
  }
}
