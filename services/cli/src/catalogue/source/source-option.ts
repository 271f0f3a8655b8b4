import { isListPrice, OPTION_NAMES, type OptionName, valueNamed } from '@tollgate/common/billing/price-options';
import { formatFactor } from '@tollgate/common/money';
import { isTokenRate, nanosOf, RATE_ORDER } from '../price-list.ts';
import type { Rates, SourceOption, SourcePrice } from '../price-source.ts';

/** Whether a source’s price of an option differs from the list price, can be chosen in a request, and is of a name of its own. */
export function isOption(name: string, value: string): name is OptionName {
  const known = OPTION_NAMES.find((option) => option === name);
  return known !== undefined && !isListPrice(known, value) && valueNamed(known, value) === undefined;
}

/** The price of an option, as a multiple of the list price where it is one in every rate and tier. */
export function toSourceOption(name: OptionName, value: string, price: SourcePrice, list: SourcePrice): SourceOption {
  const ppm = multipleOf(price, list);
  if (ppm !== undefined) return { name, value, multiplier: formatFactor(ppm) };
  const { rates, tiers } = price;
  return { name, value, rates, ...(tiers !== undefined && { tiers }) };
}

/** Parts per million by which the rates of one price are those of another, if it is the same for all. */
function multipleOf(price: SourcePrice, list: SourcePrice): bigint | undefined {
  const [input, base] = [nanosOf(price.rates.input ?? '0'), nanosOf(list.rates.input ?? '0')];
  if (base === 0n || (input * 1_000_000n) % base !== 0n) return undefined;
  const ppm = (input * 1_000_000n) / base;
  const [tiers, listTiers] = [price.tiers ?? [], list.tiers ?? []];
  const isMultiple =
    ppm > 0n &&
    tiers.length === listTiers.length &&
    isMultipleOf(price.rates, list.rates, ppm) &&
    tiers.every((tier, at) => {
      const other = listTiers[at];
      return other?.above_input_tokens === tier.above_input_tokens && isMultipleOf(tier.rates, other.rates, ppm);
    });
  return isMultiple ? ppm : undefined;
}

function isMultipleOf(rates: Rates, list: Rates, ppm: bigint): boolean {
  return RATE_ORDER.filter(isTokenRate).every((name) => {
    const [rate, base] = [rates[name], list[name]];
    if (rate === undefined) return true;
    return base !== undefined && nanosOf(rate) * 1_000_000n === nanosOf(base) * ppm;
  });
}
