/** Words that name no tier: a request's own, repeated while the provider has yet to choose. */
const UNKNOWN: ReadonlySet<string> = new Set(['auto', 'unspecified', 'traffic_type_unspecified']);

/** The tier at list price, in the words of all protocols. */
const STANDARD: ReadonlySet<string> = new Set(['default', 'standard', 'on_demand', 'provisioned_throughput']);

const MESSAGES_TIERS: ReadonlySet<string> = new Set(['priority', 'batch']);

/**
 * A reported tier in the catalogue's form; undefined if the word names none. Google names a tier as an enum or, on Vertex AI,
 * as a type of traffic.
 */
export function tierOf(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const name = withoutPrefix(withoutPrefix(word.toLowerCase(), 'service_tier_'), 'on_demand_');
  return UNKNOWN.has(name) ? undefined : requestedTier(name);
}

function withoutPrefix(word: string, prefix: string): string {
  return word.startsWith(prefix) ? word.slice(prefix.length) : word;
}

/** A requested tier: OpenAI has two names for one. */
export function requestedTier<Name extends string | null | undefined>(name: Name): Name | 'priority' {
  return name === 'fast' ? 'priority' : name;
}

/** A tier in OpenAI's words. */
export function openaiTier(tier: string | undefined): string {
  return tier === undefined || STANDARD.has(tier) ? 'default' : tier;
}

/** A tier in Anthropic's words; null for one that it does not have. */
export function messagesTier(tier: string | undefined): string | null {
  if (tier === undefined || STANDARD.has(tier)) return 'standard';
  return MESSAGES_TIERS.has(tier) ? tier : null;
}

/** A tier in Google's words. */
export function geminiTier(tier: string): string {
  return STANDARD.has(tier) ? 'standard' : tier;
}
