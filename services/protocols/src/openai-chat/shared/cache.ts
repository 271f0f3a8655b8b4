import type { CacheHint } from '../../canonical/part.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';

/**
 * The cache hint of a piece: OpenAI's `prompt_cache_breakpoint`, or the `cache_control` that clients of other providers'
 * models send. The policies reject lifetimes other than the default.
 */
export function decodeCacheControl(piece: JsonRecord): { readonly cache?: CacheHint } {
  if (isRecord(piece['prompt_cache_breakpoint'])) return { cache: {} };
  if (!isRecord(piece['cache_control'])) return {};
  return recordOr(piece['cache_control'])['ttl'] === '5m' ? { cache: { ttl: '5m' } } : { cache: {} };
}
