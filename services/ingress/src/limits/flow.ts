import type { Bucket } from '@tollgate/common/limits/index';

const MINUTE_MS = 60_000;

/** What a bucket held, and when. */
export interface Level {
  tokens: number;
  atMs: number;
}

/** How long so many tokens take to flow in, milliseconds with a fraction. */
export function refillMs(tokens: number, { perMinute }: Pick<Bucket, 'perMinute'>): number {
  return (tokens * MINUTE_MS) / perMinute;
}

/** The tokens that a bucket holds now of which nothing was taken since. */
export function levelAt({ tokens, atMs }: Level, { perMinute, size }: Bucket, nowMs: number): number {
  return Math.min(size, tokens + ((nowMs - atMs) * perMinute) / MINUTE_MS);
}

/** When a bucket is full of which nothing is taken from now on. */
export function fullAtMs({ tokens, atMs }: Level, bucket: Bucket): number {
  return atMs + refillMs(bucket.size - tokens, bucket);
}
