import type { CacheHint } from '../../canonical/part.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { CacheControl } from './block-schema.ts';

/** Decodes a `cache_control` as the member of a canonical part. */
export function decodeCacheControl(control: CacheControl): { readonly cache?: CacheHint } {
  if (control === undefined || control === null) return {};
  const { ttl } = control;
  return { cache: ttl === undefined || ttl === null ? {} : { ttl } };
}

/** Encodes a canonical hint as the `cache_control` of a block. */
export function encodeCacheControl(hint: CacheHint): JsonRecord {
  return { type: 'ephemeral', ...(hint.ttl !== undefined && { ttl: hint.ttl }) };
}
