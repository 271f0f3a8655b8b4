import type { CacheHint } from '../../canonical/part.ts';
import { isRecord, type JsonRecord, recordOr } from '../../json/record.ts';

/**
 * The cache hint of a piece: OpenAI's `prompt_cache_breakpoint`, whose lifetimes no other protocol has, or the `cache_control`
 * that clients of other providers' models send.
 */
export function decodeCacheControl(piece: JsonRecord): { readonly cache?: CacheHint } {
  if (isRecord(piece['prompt_cache_breakpoint'])) return { cache: {} };
  if (!isRecord(piece['cache_control'])) return {};
  const { ttl } = recordOr(piece['cache_control']);
  return ttl === '5m' || ttl === '1h' ? { cache: { ttl } } : { cache: {} };
}
