import { formatDollars } from '@tollgate/common/money';
import { type PricedBucket, type PriceSheet, type PriceSheets, priceAt } from '../pricing/price-sheet.ts';

/**
 * A model's list prices at a time: dollars per million tokens or items of each bucket, as exact decimal strings.
 * `tiers` are the rates of long prompts, `upcoming` the announced prices.
 */
export function renderPrices(sheets: PriceSheets, nowMs: number): object {
  const upcoming = sheets.filter((sheet) => sheet.effectiveFromMs > nowMs);
  return {
    currency: 'USD',
    ...renderSheet(priceAt(sheets, nowMs)),
    upcoming: upcoming.map((sheet) => ({
      effective_from: new Date(sheet.effectiveFromMs).toISOString(),
      ...renderSheet(sheet),
    })),
  };
}

function renderSheet({ version, tiers: [shortest, ...longer], items }: PriceSheet): object {
  const priced = [...items].filter(([, rate]) => rate > 0n);
  return {
    version,
    per_million: perMillion([...shortest.rates, ...priced]),
    tiers: longer.map((tier) => ({
      above_input_tokens: Number(tier.aboveInputTokens),
      per_million: perMillion([...tier.rates]),
    })),
  };
}

function perMillion(rates: readonly (readonly [PricedBucket, bigint])[]): Record<string, string> {
  return Object.fromEntries(rates.map(([bucket, rate]) => [bucket, formatDollars(rate)]));
}
