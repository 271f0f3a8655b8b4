import { MAX_MARKUP_PPM, MIN_MARKUP_PPM } from '@tollgate/common/billing/price-rules';
import { Bucket, type PriceOption } from '@tollgate/proto/router';
import type { PriceOptions, RequestedOption } from '@tollgate/protocols/canonical/price-options';
import { usageOf } from '@tollgate/protocols/canonical/usage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { billedOptions, reachableVariants, variantOf } from './price-options.ts';
import { type PriceSheet, priceSheetOf } from './price-sheet.ts';
import { maxCostNanos, NO_ADJUSTMENT, priceOfRequest, priceUsage, type SentPrice } from './request-price.ts';

/** Rates whose products with two multipliers are exact. */
const WHOLE = 1_000_000_000_000n;

function ratesAt(input: bigint, output: bigint) {
  return [
    { bucket: Bucket.INPUT, nanosPerMillion: input * WHOLE },
    { bucket: Bucket.CACHE_WRITE_1H, nanosPerMillion: 2n * input * WHOLE },
    { bucket: Bucket.OUTPUT, nanosPerMillion: output * WHOLE },
  ];
}

const TIER = { aboveInputTokens: 100n, rates: ratesAt(4n, 9n) };
const multiplied = (name: string, value: string, multiplierPpm: bigint): PriceOption => ({
  name,
  value,
  multiplierPpm,
  rates: [],
  tiers: [],
});
const SHEET: PriceSheet = priceSheetOf({
  version: 'v',
  rates: [...ratesAt(2n, 6n), { bucket: Bucket.REQUEST, nanosPerMillion: WHOLE }],
  tiers: [TIER],
  options: [
    multiplied('service_tier', 'flex', 500_000n),
    { name: 'service_tier', value: 'priority', multiplierPpm: 0n, rates: ratesAt(5n, 20n), tiers: [] },
    multiplied('speed', 'fast', 6_000_000n),
    multiplied('inference_geo', 'us', 1_100_000n),
  ],
  effectiveFromMs: 0n,
});

const asked = (name: RequestedOption['name'], value: string): RequestedOption => ({
  name,
  value,
  path: name,
  isOpen: value === 'auto',
  listed: [],
});

describe('a variant', () => {
  const rateWith = (options: PriceOptions, multiplierPpm = 1_000_000n, tier = 0) =>
    variantOf(SHEET, options, multiplierPpm).tiers[tier]?.byBucket.input;

  it('multiplies rates and tiers, or replaces both', () => {
    expect(rateWith({ service_tier: 'flex' })).toBe(WHOLE);
    expect(rateWith({ service_tier: 'flex' }, 1_100_000n, 1)).toBe((22n * WHOLE) / 10n);
    expect(rateWith({ service_tier: 'priority', inference_geo: 'us' })).toBe((55n * WHOLE) / 10n);
    expect(variantOf(SHEET, { service_tier: 'priority' }, 1_000_000n).tiers).toHaveLength(1);
  });

  it('does not depend on the order of its options', () => {
    const options = { inference_geo: 'us', service_tier: 'flex', speed: 'fast' } as const;
    const reversed = { speed: 'fast', service_tier: 'flex', inference_geo: 'us' } as const;
    expect(variantOf(SHEET, options, 1_100_000n)).toEqual(variantOf(SHEET, reversed, 1_100_000n));
    expect(variantOf(SHEET, reversed, 1_100_000n).tiers.map(({ version }) => version)).toEqual([
      'v#service_tier=flex#speed=fast#inference_geo=us#price_multiplier=1.1',
      'v#over-100#service_tier=flex#speed=fast#inference_geo=us#price_multiplier=1.1',
    ]);
  });
});

it.each<[RequestedOption[], number]>([
  [[], 1],
  [[asked('service_tier', 'flex')], 2],
  [[asked('service_tier', 'auto')], 3],
  [[asked('service_tier', 'unknown')], 1],
  [[asked('service_tier', 'auto'), asked('inference_geo', 'us')], 6],
])('the prices that %j may be billed at', (requested, count) => {
  expect(reachableVariants(SHEET, requested, [1_000_000n])).toHaveLength(count);
});

describe('billed options', () => {
  const FLEX = asked('service_tier', 'flex');
  it.each<[string, RequestedOption[], PriceOptions | undefined, object]>([
    ['requested, nothing reported', [FLEX], undefined, { options: { service_tier: 'flex' } }],
    ['reported as requested', [FLEX], { service_tier: 'flex' }, { options: { service_tier: 'flex' } }],
    ['served at list price', [FLEX], { service_tier: 'default' }, { options: {}, unpriced: [] }],
    [
      'reported without a price',
      [FLEX],
      { service_tier: 'ultra' },
      { options: { service_tier: 'flex' }, unpriced: ['service_tier'] },
    ],
    [
      'another than requested',
      [FLEX],
      { service_tier: 'priority' },
      { options: { service_tier: 'flex' }, unpriced: ['service_tier'] },
    ],
    [
      'chosen by the provider',
      [asked('service_tier', 'auto')],
      { service_tier: 'priority' },
      { options: { service_tier: 'priority' } },
    ],
    ['left to the provider, nothing reported', [asked('service_tier', 'auto')], undefined, { options: {} }],
    ['not asked for', [], { service_tier: 'flex' }, { options: {}, unasked: { service_tier: 'flex' } }],
    [
      'paid capacity',
      [],
      { service_tier: 'provisioned_throughput' },
      { options: {}, unasked: undefined, unpriced: [] },
    ],
  ])('%s', (_, sent, reported, expected) => {
    expect(billedOptions(SHEET, sent, reported)).toMatchObject(expected);
  });

  it('without a request for it, a cheaper tier is passed on and a dearer one is not', () => {
    const usage = usageOf({ input: 10, output: 10 });
    const price = priceOfRequest([SHEET], 0, NO_ADJUSTMENT);
    const costOf = (tier: string) => priceUsage(price, { ...usage, options: { service_tier: tier } }, 0).costNanos;
    expect(costOf('priority')).toBe(costOf('default'));
    expect(costOf('flex')).toBeLessThan(costOf('default'));
  });
});

describe('any options', () => {
  const values = { service_tier: ['auto', 'flex', 'priority'], speed: ['fast'], inference_geo: ['us'] } as const;
  const requests = fc
    .record({
      service_tier: fc.constantFrom(undefined, ...values.service_tier),
      speed: fc.constantFrom(undefined, ...values.speed),
      inference_geo: fc.constantFrom(undefined, ...values.inference_geo),
    })
    .map((chosen) =>
      (['service_tier', 'speed', 'inference_geo'] as const).flatMap((name) =>
        chosen[name] === undefined ? [] : [asked(name, chosen[name])],
      ),
    );
  const reports = fc.option(
    fc.record(
      {
        service_tier: fc.constantFrom('default', 'flex', 'priority', 'unknown'),
        speed: fc.constantFrom('standard', 'fast'),
        inference_geo: fc.constantFrom('global', 'us'),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  );
  const multipliers = fc.uniqueArray(fc.constantFrom(900_000n, 1_000_000n, 1_100_000n), { minLength: 1 });
  const seed = process.env['CI'] === undefined ? {} : { seed: 19 };

  it('never cost more than the hold', () => {
    fc.assert(
      fc.property(
        requests,
        reports,
        multipliers,
        fc.record({ input: fc.nat(200), cache_write_1h: fc.nat(200), output: fc.nat(300) }),
        fc.record({
          discountPpm: fc.integer({ min: 0, max: 1_000_000 }),
          markupPpm: fc.integer({ min: MIN_MARKUP_PPM, max: MAX_MARKUP_PPM }),
        }),
        fc.boolean(),
        (requested, options, ppm, quantities, adjustment, leftOut) => {
          const price = priceOfRequest([SHEET], 0, adjustment, { options: requested, multipliersPpm: ppm });
          const bound = {
            inputTokens: BigInt(quantities.input + quantities.cache_write_1h),
            outputTokens: BigInt(quantities.output),
            images: 0n,
            searches: 0n,
          };
          const hold = maxCostNanos(price, bound);
          const usage = { ...usageOf(quantities), ...(options !== undefined && { options }) };
          for (const multiplierPpm of ppm) {
            const sent: SentPrice = { options: leftOut ? [] : requested, multiplierPpm };
            expect(priceUsage(price, usage, 0, sent).costNanos).toBeLessThanOrEqual(hold);
            const reversed = { ...sent, options: sent.options.toReversed() };
            expect(priceUsage(price, usage, 0, reversed)).toEqual(priceUsage(price, usage, 0, sent));
          }
        },
      ),
      seed,
    );
  });
});
