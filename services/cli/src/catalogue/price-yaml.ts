import { isTokenRate, type ListedPrice, RATE_ORDER } from './price-list.ts';
import type { Rates } from './price-source.ts';

/**
 * Formats prices as a field of a model: `price`, or `prices` where it changes at a known time.
 *
 * @param indent spaces before the field
 */
export function formatPrices(prices: readonly ListedPrice[], indent: number): string {
  const [first, ...others] = prices;
  if (first === undefined) return '';
  if (others.length === 0) return indented(['price:', ...priceLines(first).map((line) => `  ${line}`)], indent);
  const items = prices.flatMap((price) => {
    const [head, ...rest] = priceLines(price);
    return [`  - ${head}`, ...rest.map((line) => `    ${line}`)];
  });
  return indented(['prices:', ...items], indent);
}

function indented(lines: readonly string[], indent: number): string {
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');
}

function priceLines({ effective_from, rates, others = [], tiers }: ListedPrice): string[] {
  const lines = effective_from === undefined ? [] : [`effective_from: ${effective_from}`];
  lines.push(...rateLines(rates), ...others);
  if (tiers.length === 0) return lines;
  lines.push('tiers:');
  for (const { above_input_tokens, rates: tierRates } of tiers) {
    lines.push(`  - above_input_tokens: ${above_input_tokens}`, ...rateLines(tierRates).map((line) => `    ${line}`));
  }
  return lines;
}

/** Rates with at least two decimals where they have any, as prices are written. */
function rateLines(rates: Rates): string[] {
  const names = [...RATE_ORDER.filter(isTokenRate), ...RATE_ORDER.filter((name) => !isTokenRate(name))];
  return names.flatMap((name) => {
    const rate = rates[name];
    return rate === undefined ? [] : [`${name}: ${/^\d+\.\d$/.test(rate) ? `${rate}0` : rate}`];
  });
}
