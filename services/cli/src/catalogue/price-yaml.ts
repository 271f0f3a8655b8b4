import { OPTION_NAMES } from '@tollgate/common/billing/price-options';
import { isTokenRate, type ListedPrice, RATE_ORDER } from './price-list.ts';
import type { Rates, SourceOption } from './price-source.ts';

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

function priceLines({ effective_from, rates, others = [], tiers, options = [] }: ListedPrice): string[] {
  const start = effective_from === undefined ? [] : [`effective_from: ${effective_from}`];
  return [...start, ...rateLines(rates), ...others, ...tierLines(tiers), ...optionLines(options)];
}

function tierLines(tiers: ListedPrice['tiers']): string[] {
  if (tiers.length === 0) return [];
  const items = tiers.flatMap(({ above_input_tokens, rates }) => [
    `  - above_input_tokens: ${above_input_tokens}`,
    ...rateLines(rates).map((line) => `    ${line}`),
  ]);
  return ['tiers:', ...items];
}

function optionLines(options: readonly SourceOption[]): string[] {
  if (options.length === 0) return [];
  const fields = OPTION_NAMES.flatMap((name) => {
    const values = options.filter((option) => option.name === name).sort((a, b) => (a.value < b.value ? -1 : 1));
    return values.length === 0 ? [] : [`  ${name}:`, ...values.flatMap(valueLines).map((line) => `    ${line}`)];
  });
  return ['options:', ...fields];
}

function valueLines(option: SourceOption): string[] {
  if ('multiplier' in option) return [`${option.value}: { multiplier: ${option.multiplier} }`];
  const lines = [...rateLines(option.rates), ...tierLines(option.tiers ?? [])];
  return [`${option.value}:`, ...lines.map((line) => `  ${line}`)];
}

/** Rates with at least two decimals where they have any, as prices are written. */
function rateLines(rates: Rates): string[] {
  const names = [...RATE_ORDER.filter(isTokenRate), ...RATE_ORDER.filter((name) => !isTokenRate(name))];
  return names.flatMap((name) => {
    const rate = rates[name];
    return rate === undefined ? [] : [`${name}: ${/^\d+\.\d$/.test(rate) ? `${rate}0` : rate}`];
  });
}
