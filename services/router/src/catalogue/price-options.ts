import { isListPrice, OPTION_NAMES, type OptionName, valueNamed } from '@tollgate/common/billing/price-options';
import type { Finding, Path } from './problem.ts';
import { FULL_PPM } from './rate.ts';
import { type PriceEntry, type PriceOptionEntry, TOKEN_RATES } from './schema.ts';

/** An option that a price has. */
export interface ListedOption {
  name: OptionName;
  value: string;
  option: PriceOptionEntry;
}

/** The options of a price, always in the same order. */
export function optionsOf({ options }: Pick<PriceEntry, 'options'>): ListedOption[] {
  return OPTION_NAMES.flatMap((name) =>
    Object.entries(options?.[name] ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([value, option]) => ({ name, value, option })),
  );
}

/**
 * Checks that every option has a multiplier or the rates that the price has, that rates of two options never compete, and
 * that all products are exact.
 *
 * @param multipliers those of the model's deployments
 */
export function checkOptions(price: PriceEntry, path: Path, multipliers: readonly bigint[]): Finding[] {
  const findings: Finding[] = [];
  const listed = optionsOf(price);
  const [withRates] = listed.filter(({ option }) => option.multiplier === undefined);
  for (const { name, value, option } of listed) {
    const place = [...path, 'options', name, value];
    if (isListPrice(name, value)) {
      findings.push({ path: place, message: 'is the list price: set the rates of the price instead' });
    }
    const meant = valueNamed(name, value);
    if (meant !== undefined) findings.push({ path: place, message: `is another name of ${meant}: set that instead` });
    findings.push(...checkForm(price, option, place));
    if (option.multiplier === undefined && name !== withRates?.name) {
      const message = `must have a multiplier: ${withRates?.name} has rates of its own, and requests can choose both`;
      findings.push({ path: place, message });
    }
  }
  return findings.length > 0 ? findings : checkProducts(price, listed, path, multipliers);
}

function checkForm(price: PriceEntry, option: PriceOptionEntry, place: Path): Finding[] {
  const own = TOKEN_RATES.filter((name) => option[name] !== undefined);
  if (option.multiplier !== undefined) {
    return own.length === 0 && option.tiers === undefined
      ? []
      : [{ path: [...place, 'multiplier'], message: 'cannot be combined with rates: use one of them' }];
  }
  return TOKEN_RATES.flatMap((name): Finding[] => {
    if ((price[name] === undefined) === (option[name] === undefined)) return [];
    const message =
      option[name] === undefined
        ? 'is required: the price has this rate'
        : 'must not be set: the price has no such rate';
    return [{ path: [...place, name], message }];
  });
}

/** Rates are kept as whole nano-dollars per million, so that each line of a charge is rounded only once. */
function checkProducts(
  price: PriceEntry,
  listed: readonly ListedOption[],
  path: Path,
  multipliers: readonly bigint[],
): Finding[] {
  const factors = productsOf([
    ...OPTION_NAMES.map((name) =>
      listed.flatMap((one) =>
        one.name === name && one.option.multiplier !== undefined ? [one.option.multiplier] : [],
      ),
    ),
    multipliers,
  ]);
  const sources = [price, ...listed.flatMap(({ option }) => (option.multiplier === undefined ? [option] : []))];
  for (const source of sources.flatMap((one) => [one, ...(one.tiers ?? [])])) {
    for (const name of TOKEN_RATES) {
      const rate = source[name] ?? 0n;
      if (factors.every(({ ppm, scale }) => (rate * ppm) % scale === 0n)) continue;
      const message = 'times the multipliers of its options and deployments has more than nine decimals';
      return [{ path: [...path, name], message }];
    }
  }
  return [];
}

interface Factor {
  ppm: bigint;
  scale: bigint;
}

/** All products with at most one factor of each list. */
function productsOf(lists: readonly (readonly bigint[])[]): Factor[] {
  let products: Factor[] = [{ ppm: 1n, scale: 1n }];
  for (const list of lists) {
    products = products.flatMap(({ ppm, scale }) => [
      { ppm, scale },
      ...list.map((factor) => ({ ppm: ppm * factor, scale: scale * FULL_PPM })),
    ]);
  }
  return products;
}
