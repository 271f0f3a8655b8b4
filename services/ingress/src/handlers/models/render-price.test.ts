import { Bucket, type Price } from '@tollgate/proto/router';
import { expect, it } from 'vitest';
import { type PriceSheets, priceSheetOf } from '../../shared/catalogue/price-sheet.ts';
import { renderPrices } from './render-price.ts';

const MOMENT = Date.UTC(2026, 11, 1);

function rates(...listed: [Bucket, bigint][]): Price['rates'] {
  return listed.map(([bucket, nanosPerMillion]) => ({ bucket, nanosPerMillion }));
}

const NOW: Price = {
  version: 'autumn-1',
  effectiveFromMs: 0n,
  rates: rates([Bucket.INPUT, 2_000_000_000n], [Bucket.OUTPUT, 12_000_000_000n], [Bucket.SEARCH, 10_000_000_000_000n]),
  tiers: [
    { aboveInputTokens: 200_000n, rates: rates([Bucket.INPUT, 4_000_000_000n], [Bucket.OUTPUT, 18_500_000_000n]) },
  ],
  options: [],
};
const LATER: Price = { version: 'winter-2', effectiveFromMs: BigInt(MOMENT), rates: NOW.rates, tiers: [], options: [] };
const sheets: PriceSheets = [priceSheetOf(NOW), priceSheetOf(LATER)];

it('renders the price in force with its tiers, and the announced ones', () => {
  expect(renderPrices(sheets, MOMENT - 1, 0)).toEqual({
    currency: 'USD',
    version: 'autumn-1',
    per_million: { input: '2', output: '12', search: '10000' },
    tiers: [{ above_input_tokens: 200_000, per_million: { input: '4', output: '18.5' } }],
    upcoming: [
      {
        effective_from: '2026-12-01T00:00:00.000Z',
        version: 'winter-2',
        per_million: { input: '2', output: '12', search: '10000' },
        tiers: [],
      },
    ],
  });
});

it('renders an announced price as the one in force from its time on', () => {
  expect(renderPrices(sheets, MOMENT, 0)).toMatchObject({ version: 'winter-2', tiers: [], upcoming: [] });
});

it('renders options: a multiplier, or rates with their tiers', () => {
  const tiers = [{ aboveInputTokens: 272_000n, rates: rates([Bucket.INPUT, 9_000_000_000n]) }];
  const options = [
    { name: 'service_tier', value: 'flex', multiplierPpm: 500_000n, rates: [], tiers: [] },
    { name: 'service_tier', value: 'priority', multiplierPpm: 0n, rates: rates([Bucket.INPUT, 4_500_000_000n]), tiers },
    { name: 'inference_geo', value: 'us', multiplierPpm: 1_100_000n, rates: [], tiers: [] },
    { name: 'option_of_tomorrow', value: 'x', multiplierPpm: 1_100_000n, rates: [], tiers: [] },
  ];
  expect(renderPrices([priceSheetOf({ ...LATER, options })], MOMENT, 0)).toMatchObject({
    options: {
      service_tier: {
        flex: { multiplier: '0.5' },
        priority: {
          per_million: { input: '4.5' },
          tiers: [{ above_input_tokens: 272_000, per_million: { input: '9' } }],
        },
      },
      inference_geo: { us: { multiplier: '1.1' } },
    },
  });
});

it('renders the prices of an account of its own, of tiers, items, options and announced prices', () => {
  const options = [
    { name: 'service_tier', value: 'flex', multiplierPpm: 500_000n, rates: [], tiers: [] },
    {
      name: 'service_tier',
      value: 'priority',
      multiplierPpm: 0n,
      rates: rates([Bucket.INPUT, 4_000_000_000n]),
      tiers: [],
    },
  ];
  expect(renderPrices([priceSheetOf({ ...NOW, options }), priceSheetOf(LATER)], MOMENT - 1, 200_000)).toMatchObject({
    per_million: { input: '2.4', output: '14.4', search: '12000' },
    tiers: [{ per_million: { input: '4.8', output: '22.2' } }],
    options: { service_tier: { flex: { multiplier: '0.5' }, priority: { per_million: { input: '4.8' } } } },
    upcoming: [{ per_million: { input: '2.4' } }],
  });
});
