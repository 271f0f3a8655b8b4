import { ownRate } from '@tollgate/common/billing/price-rules';
import { formatDollars, formatFactor } from '@tollgate/common/money';
import {
  ITEM_BUCKETS,
  type OptionPrice,
  type PricedBucket,
  type PriceSheet,
  type PriceSheets,
  type PriceTiers,
  priceAt,
} from '../../shared/catalogue/price-sheet.ts';

/**
 * A model's prices at a time, as the account pays them before its discount: dollars per million tokens or items of each
 * bucket, as exact decimal strings. `tiers` are the rates of long prompts, `upcoming` the announced prices.
 *
 * @param markupPpm added to list prices
 */
export function renderPrices(sheets: PriceSheets, nowMs: number, markupPpm: number): object {
  const upcoming = sheets.filter((sheet) => sheet.effectiveFromMs > nowMs);
  return {
    currency: 'USD',
    ...renderSheet(priceAt(sheets, nowMs), markupPpm),
    upcoming: upcoming.map((sheet) => ({
      effective_from: new Date(sheet.effectiveFromMs).toISOString(),
      ...renderSheet(sheet, markupPpm),
    })),
  };
}

function renderSheet({ version, tiers, items, options }: PriceSheet, markupPpm: number): object {
  const priced = ITEM_BUCKETS.map((bucket) => [bucket, items[bucket]] as const).filter(([, rate]) => rate > 0n);
  return {
    version,
    ...renderTiers(tiers, priced, markupPpm),
    ...(options.size > 0 && { options: renderOptions(options, markupPpm) }),
  };
}

function renderTiers(
  [shortest, ...longer]: PriceTiers,
  items: readonly (readonly [PricedBucket, bigint])[],
  markupPpm: number,
): object {
  return {
    per_million: perMillion([...shortest.rates, ...items], markupPpm),
    tiers: longer.map((tier) => ({
      above_input_tokens: Number(tier.aboveInputTokens),
      per_million: perMillion([...tier.rates], markupPpm),
    })),
  };
}

/** By name and value: a multiplier of all token rates, or rates in their place. */
function renderOptions(options: PriceSheet['options'], markupPpm: number): object {
  const render = ({ tiers, multiplierPpm }: OptionPrice) =>
    tiers === undefined ? { multiplier: formatFactor(multiplierPpm) } : renderTiers(tiers, [], markupPpm);
  return Object.fromEntries(
    [...options].map(([name, values]) => [
      name,
      Object.fromEntries([...values].map(([value, option]) => [value, render(option)])),
    ]),
  );
}

function perMillion(rates: readonly (readonly [PricedBucket, bigint])[], markupPpm: number): Record<string, string> {
  return Object.fromEntries(rates.map(([bucket, rate]) => [bucket, formatDollars(ownRate(rate, markupPpm))]));
}
