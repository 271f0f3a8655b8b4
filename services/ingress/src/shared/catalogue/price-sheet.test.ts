import { parsePriceVersion } from '@tollgate/common/billing/price-version';
import { Bucket, type Price } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { FULL_PPM, NO_OPTIONS, variantOf } from './price-options.ts';
import { type PriceSheets, priceAt, priceSheetOf, tierOf } from './price-sheet.ts';

function sheet(version: string, effectiveFromMs: number, tiers: Price['tiers'] = []) {
  const rates = [{ bucket: Bucket.INPUT, nanosPerMillion: 1_000_000n }];
  return priceSheetOf({ version, rates, tiers, options: [], effectiveFromMs: BigInt(effectiveFromMs) });
}

describe('successive prices', () => {
  const sheets: PriceSheets = [sheet('a', 0), sheet('b', 1_000), sheet('c', 2_000)];

  it.each([
    [0, 'a'],
    [999, 'a'],
    [1_000, 'b'],
    [1_999, 'b'],
    [2_000, 'c'],
    [9_999, 'c'],
  ])('at %i ms it is %s', (startedAtMs, version) => {
    expect(priceAt(sheets, startedAtMs).version).toBe(version);
  });
});

describe('tiers', () => {
  const tiered = sheet('v', 0, [
    { aboveInputTokens: 10n, rates: [{ bucket: Bucket.INPUT, nanosPerMillion: 2n }] },
    { aboveInputTokens: 20n, rates: [{ bucket: Bucket.INPUT, nanosPerMillion: 3n }] },
  ]);

  it.each([
    [0, 1_000_000n, 'v'],
    [10, 1_000_000n, 'v'],
    [11, 2n, 'v#over-10'],
    [20, 2n, 'v#over-10'],
    [21, 3n, 'v#over-20'],
  ])('of a prompt of %i tokens', (inputTokens, rate, text) => {
    const tier = tierOf(variantOf(tiered, NO_OPTIONS, FULL_PPM).tiers, inputTokens);
    expect(tier.byBucket.cache_read).toBe(rate);
    expect(tier.version).toBe(text);
    expect(parsePriceVersion(text)).toMatchObject({ version: 'v', aboveInputTokens: Number(tier.aboveInputTokens) });
  });
});
