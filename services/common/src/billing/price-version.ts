const TIER_MARK = '#over-';

/** Names a price version and its tier: `<version>`, or `<version>#over-<tokens>` in a tier for longer prompts. */
export function formatPriceVersion(version: string, aboveInputTokens: bigint): string {
  return aboveInputTokens === 0n ? version : `${version}${TIER_MARK}${aboveInputTokens}`;
}

/** The version and tier of a charge; `aboveInputTokens` is 0 in the lowest tier. */
export function parsePriceVersion(text: string): { version: string; aboveInputTokens: number } {
  const at = text.lastIndexOf(TIER_MARK);
  const tokens = at === -1 ? Number.NaN : Number(text.slice(at + TIER_MARK.length));
  return Number.isSafeInteger(tokens)
    ? { version: text.slice(0, at), aboveInputTokens: tokens }
    : { version: text, aboveInputTokens: 0 };
}
