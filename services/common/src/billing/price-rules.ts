import { FULL_DISCOUNT_PPM } from '../money.ts';

/** An account's own price of some models. */
export interface PriceRule {
  /** The id of a model, in which `*` stands for any text. */
  model: string;
  /** Added to the rates of the list price, parts per million; negative: taken off. */
  markupPpm: number;
}

/** The prices of an account that pays list prices. */
export const NO_PRICE_RULES: readonly PriceRule[] = [];

/** Free, and eleven times the list price. */
export const MIN_MARKUP_PPM = -1_000_000;
export const MAX_MARKUP_PPM = 10_000_000;
export const MAX_PRICE_RULES = 50;

/** The markup of the first rule for a model, parts per million; 0 without one: the list price. */
export function markupOf(rules: readonly PriceRule[], modelId: string): number {
  for (const { model, markupPpm } of rules) if (matches(model, modelId)) return markupPpm;
  return 0;
}

/** A list rate with a markup, rounded up to whole nano-dollars per million: a rate that the account's prices can show. */
export function ownRate(listRate: bigint, markupPpm: number): bigint {
  if (markupPpm === 0) return listRate;
  const full = BigInt(FULL_DISCOUNT_PPM);
  return (listRate * BigInt(FULL_DISCOUNT_PPM + markupPpm) + full - 1n) / full;
}

/** Takes the first place for each part, so that no pattern takes long. */
function matches(pattern: string, modelId: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return modelId === first;
  const end = modelId.length - last.length;
  if (end < first.length || !modelId.startsWith(first) || !modelId.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const at = modelId.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
