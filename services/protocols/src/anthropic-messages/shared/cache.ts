import type { CacheHint } from '../../canonical/part.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { CacheControl } from './block-schema.ts';

/** The member of a canonical piece for a `cache_control`. */
export function decodeCacheControl(control: CacheControl): { readonly cache?: CacheHint } {
  if (control === undefined || control === null) return {};
  const { ttl } = control;
  return { cache: ttl === undefined || ttl === null ? {} : { ttl } };
}

/** The `cache_control` of a block for a canonical hint. */
export function encodeCacheControl(hint: CacheHint): JsonRecord {
  return { type: 'ephemeral', ...(hint.ttl !== undefined && { ttl: hint.ttl }) };
}
