import type { Bucket } from '@tollgate/common/limits/index';

const MINUTE_MS = 60_000;

/** What a bucket held, and when. */
export interface Level {
  tokens: number;
  atMs: number;
}

/** How long it takes to refill a number of tokens, in fractional milliseconds. */
export function refillMs(tokens: number, { perMinute }: Pick<Bucket, 'perMinute'>): number {
  return (tokens * MINUTE_MS) / perMinute;
}

/** What a bucket holds now if nothing was taken since. */
export function levelAt({ tokens, atMs }: Level, { perMinute, size }: Bucket, nowMs: number): number {
  return Math.min(size, tokens + ((nowMs - atMs) * perMinute) / MINUTE_MS);
}

/** When a bucket is full if nothing more is taken. */
export function fullAtMs({ tokens, atMs }: Level, bucket: Bucket): number {
  return atMs + refillMs(bucket.size - tokens, bucket);
}
