import type { FieldNote } from '../../field-note.ts';
import { note } from '../../field-note.ts';
import { isSet, type JsonRecord, recordOr } from '../../json/record.ts';

/** Usage does not tell lifetimes apart everywhere, so cache writes have one price: that of the default. */
const LIST_PRICE_CACHE_TTL = '30m';

/** Refuses a lifetime in the provider's cache that is not the default. */
export function guardCacheTtl(ttl: unknown, path: string, refusals: FieldNote[]): void {
  if (!isSet(ttl) || ttl === LIST_PRICE_CACHE_TTL) return;
  refusals.push(note(path, `only "${LIST_PRICE_CACHE_TTL}" is priced here; leave it out`));
}

/** A breakpoint in a part of an item can ask for a lifetime of its own. */
export function guardBreakpoint(part: JsonRecord, path: string, refusals: FieldNote[]): void {
  guardCacheTtl(recordOr(part['prompt_cache_breakpoint'])['ttl'], `${path}.prompt_cache_breakpoint.ttl`, refusals);
}
