import type { Diagnostic } from '../../diagnostic.ts';
import { diagnostic } from '../../diagnostic.ts';
import { isSet, type JsonRecord, recordOr } from '../../json/record.ts';

/** Usage does not tell lifetimes apart everywhere, so cache writes have one price: that of the default. */
const LIST_PRICE_CACHE_TTL = '30m';

/** Refuses a lifetime in the provider's cache that is not the default. */
export function checkCacheTtl(ttl: unknown, path: string, errors: Diagnostic[]): void {
  if (!isSet(ttl) || ttl === LIST_PRICE_CACHE_TTL) return;
  errors.push(diagnostic(path, `only "${LIST_PRICE_CACHE_TTL}" is priced here; leave it out`));
}

/** A breakpoint in a part of an item can ask for a lifetime of its own. */
export function checkCacheBreakpoint(part: JsonRecord, path: string, errors: Diagnostic[]): void {
  checkCacheTtl(recordOr(part['prompt_cache_breakpoint'])['ttl'], `${path}.prompt_cache_breakpoint.ttl`, errors);
}
