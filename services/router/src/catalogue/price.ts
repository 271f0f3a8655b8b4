import { hash } from 'node:crypto';
import { Bucket, type Price, type Rate } from '@tollgate/proto/router';
import type { PriceEntry } from './schema.ts';

/**
 * The rates of every token bucket: those not given are the input or output rate, so that no token is free by omission.
 * Per-item buckets exist only where they are given.
 */
export function toPrice(entry: PriceEntry): Price {
  const output = entry.output ?? 0n;
  const rates: Rate[] = [
    { bucket: Bucket.INPUT, nanosPerMillion: entry.input },
    { bucket: Bucket.CACHE_READ, nanosPerMillion: entry.cache_read ?? entry.input },
    { bucket: Bucket.CACHE_WRITE_5M, nanosPerMillion: entry.cache_write_5m ?? entry.input },
    { bucket: Bucket.CACHE_WRITE_1H, nanosPerMillion: entry.cache_write_1h ?? entry.input },
    { bucket: Bucket.OUTPUT, nanosPerMillion: output },
    { bucket: Bucket.REASONING, nanosPerMillion: entry.reasoning ?? output },
  ];
  if (entry.image !== undefined) rates.push({ bucket: Bucket.IMAGE, nanosPerMillion: entry.image });
  if (entry.search !== undefined) rates.push({ bucket: Bucket.SEARCH, nanosPerMillion: entry.search });
  return { version: versionOf(entry.version, rates), rates };
}

/** An embedding model's only rate: its input's. */
export function toEmbeddingPrice(entry: PriceEntry): Price {
  const rates: Rate[] = [{ bucket: Bucket.INPUT, nanosPerMillion: entry.input }];
  return { version: versionOf(entry.version, rates), rates };
}

/** Names the rates for good: a digest of them, after the operator's label where there is one. */
function versionOf(label: string | undefined, rates: readonly Rate[]): string {
  const digest = hash('sha256', rates.map((rate) => `${rate.bucket}=${rate.nanosPerMillion}`).join(' ')).slice(0, 12);
  return `${label ?? 'rates'}-${digest}`;
}
