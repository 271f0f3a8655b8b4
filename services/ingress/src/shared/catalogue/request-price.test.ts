import { MAX_MARKUP_PPM, MIN_MARKUP_PPM, ownRate } from '@tollgate/common/billing/price-rules';
import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { lineAmount, minBigInt } from '@tollgate/common/money';
import { Bucket, type Price } from '@tollgate/proto/router';
import { type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceSheetOf } from './price-sheet.ts';
import {
  affordableOutputTokens,
  maxCostNanos,
  NO_ADJUSTMENT,
  priceOfRequest,
  priceUsage,
  type RequestPrice,
} from './request-price.ts';

const TOKEN_BUCKETS = [
  Bucket.INPUT,
  Bucket.CACHE_READ,
  Bucket.CACHE_WRITE_5M,
  Bucket.CACHE_WRITE_1H,
  Bucket.OUTPUT,
  Bucket.REASONING,
];
const ITEM_BUCKETS = [Bucket.IMAGE, Bucket.SEARCH, Bucket.REQUEST];

const HALF_A_NANO = 500_000n;
const rate = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 14n }),
  fc.bigInt({ min: 0n, max: 3_000_000n }),
  fc.constant(HALF_A_NANO),
);
const tokens = fc.oneof(fc.integer({ min: 0, max: 2_000_000 }), fc.integer({ min: 0, max: 9 }));
const ratesOf = (buckets: Bucket[]) =>
  fc
    .subarray(buckets)
    .chain((some) => fc.tuple(...some.map((bucket) => rate.map((nanosPerMillion) => ({ bucket, nanosPerMillion })))));
const marks = fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1_500_000 })), {
  maxLength: 3,
});
const tiers = marks.chain((some) =>
  fc.tuple(
    ...some
      .toSorted((a, b) => a - b)
      .map((mark) => ratesOf(TOKEN_BUCKETS).map((rates) => ({ aboveInputTokens: BigInt(mark), rates }))),
  ),
);
const adjustments = fc.record({
  discountPpm: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_000_000 }), fc.constant(1_000_000)),
  markupPpm: fc.oneof(fc.constant(0), fc.integer({ min: MIN_MARKUP_PPM, max: MAX_MARKUP_PPM })),
});
/** Any price, higher or lower for longer prompts, with any discount and markup. */
const prices = fc
  .record({ rates: ratesOf([...TOKEN_BUCKETS, ...ITEM_BUCKETS]), tiers, adjustment: adjustments })
  .map(
    ({ adjustment, ...price }): RequestPrice =>
      priceOfRequest([priceSheetOf({ version: 'v', effectiveFromMs: 0n, options: [], ...price })], 0, adjustment),
  );
/** The share of a bound that a usage takes up. */
const unused = fc.oneof(fc.constant(0), tokens);
const images = fc.integer({ min: 0, max: 50 });
const usages = fc
  .tuple(tokens, tokens, tokens, tokens, tokens, tokens, fc.integer({ min: 0, max: 9 }))
  .map(([input, read, write5m, write1h, output, reasoning, search]) =>
    usageOf({ input, cache_read: read, cache_write_5m: write5m, cache_write_1h: write1h, output, reasoning, search }),
  );

const promptOf = (usage: Usage) => usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
const generatedBy = (usage: Usage) => usage.output + usage.reasoning;

function priceOf(rates: [Bucket, bigint][], more: Partial<Price> = {}, discountPpm = 0, markupPpm = 0): RequestPrice {
  const price = { version: 'v1', tiers: [], options: [], effectiveFromMs: 0n, ...more, rates: listOf(rates) };
  return priceOfRequest([priceSheetOf(price)], 0, { discountPpm, markupPpm });
}

function listOf(rates: [Bucket, bigint][]) {
  return rates.map(([bucket, nanosPerMillion]) => ({ bucket, nanosPerMillion }));
}

const PLAIN: [Bucket, bigint][] = [
  [Bucket.INPUT, 2_000_000_000n],
  [Bucket.CACHE_READ, 500_000_000n],
  [Bucket.CACHE_WRITE_5M, 2_500_000_000n],
  [Bucket.OUTPUT, 8_000_000_000n],
];

describe('the price of a usage', () => {
  it('has a line for each bucket used, reasoning at the rate of output', () => {
    const usage = usageOf({ input: 10, cache_read: 4, output: 3, reasoning: 2 });
    const { lines, costNanos } = priceUsage(priceOf(PLAIN), usage, 0);
    expect(lines.map(({ bucket, quantity, amountNanos }) => [bucket, quantity, amountNanos])).toEqual([
      ['input', 10n, 20_000n],
      ['cache_read', 4n, 2_000n],
      ['output', 3n, 24_000n],
      ['reasoning', 2n, 16_000n],
    ]);
    expect(costNanos).toBe(62_000n);
  });

  it('includes images and the call where they have a price, and searches as reported', () => {
    const usage = usageOf({ input: 1, search: 2 });
    const lines = (price: RequestPrice) =>
      priceUsage(price, usage, 3).lines.map(({ bucket, quantity, amountNanos }) => [bucket, quantity, amountNanos]);
    expect(lines(priceOf([[Bucket.INPUT, 1_000_000n]]))).toEqual([
      ['input', 1n, 1n],
      ['search', 2n, 0n],
    ]);
    const items: [Bucket, bigint][] = [
      [Bucket.INPUT, 1_000_000n],
      [Bucket.IMAGE, 5_000_000n],
      [Bucket.SEARCH, 7_000_000n],
      [Bucket.REQUEST, 9_000_000n],
    ];
    expect(lines(priceOf(items))).toEqual([
      ['input', 1n, 1n],
      ['image', 3n, 15n],
      ['search', 2n, 14n],
      ['request', 1n, 9n],
    ]);
  });

  it('keeps the list rate in its lines, and applies the discount to each with one rounding', () => {
    const price = priceOf([[Bucket.INPUT, 500_000n]], {}, 500_000);
    const { lines } = priceUsage(price, usageOf({ input: 6 }), 0);
    // 6 * 0.5 * 0.5 = 1.5 rounds half to even, to 2; rounded before the discount it would be 1.
    expect(lines).toEqual([{ bucket: 'input', quantity: 6n, rateNanosPerMillion: 500_000n, amountNanos: 2n }]);
    expect(lines[0]?.listRateNanosPerMillion).toBeUndefined();
  });

  it('names the tier that applied', () => {
    const long = { aboveInputTokens: 10n, rates: listOf([[Bucket.INPUT, 4_000_000n]]) };
    const price = priceOf([[Bucket.INPUT, 2_000_000n]], { tiers: [long] });
    expect(priceUsage(price, usageOf({ input: 4, cache_read: 6 }), 0)).toMatchObject({ version: 'v1', costNanos: 20n });
    expect(priceUsage(price, usageOf({ input: 4, cache_read: 7 }), 0)).toMatchObject({
      version: 'v1#over-10',
      costNanos: 44n,
    });
  });
});

describe('the price of an account of its own', () => {
  it('has its own rates in its lines, with the list rates and what they come to beside them', () => {
    const usage = usageOf({ input: 10, output: 3 });
    const { lines, costNanos, baseCostNanos } = priceUsage(priceOf(PLAIN, {}, 0, 200_000), usage, 0);
    expect(lines).toEqual([
      {
        bucket: 'input',
        quantity: 10n,
        rateNanosPerMillion: 2_400_000_000n,
        listRateNanosPerMillion: 2_000_000_000n,
        amountNanos: 24_000n,
      },
      {
        bucket: 'output',
        quantity: 3n,
        rateNanosPerMillion: 9_600_000_000n,
        listRateNanosPerMillion: 8_000_000_000n,
        amountNanos: 28_800n,
      },
    ]);
    expect([costNanos, baseCostNanos]).toEqual([52_800n, 44_000n]);
  });

  it('takes the discount off its own rates; the base cost has neither', () => {
    const price = priceOf([[Bucket.INPUT, 1_000_000n]], {}, 500_000, 1_000_000);
    expect(priceUsage(price, usageOf({ input: 7 }), 0)).toMatchObject({ costNanos: 7n, baseCostNanos: 7n });
  });

  it('is free at a markup of -100 %, and bounded by nothing', () => {
    const price = priceOf(PLAIN, {}, 0, MIN_MARKUP_PPM);
    const usage = usageOf({ input: 1_000, output: 1_000 });
    expect(priceUsage(price, usage, 0)).toMatchObject({ costNanos: 0n, baseCostNanos: 10_000_000n });
    expect(maxCostNanos(price, { inputTokens: 1_000n, outputTokens: 1_000n, images: 0n, searches: 0n })).toBe(0n);
  });

  it('leaves out a base cost that the ledger would not take', () => {
    const price = priceOf([[Bucket.INPUT, 10n ** 18n]], {}, 0, MIN_MARKUP_PPM);
    const priced = priceUsage(price, usageOf({ input: 2_000_000 }), 0);
    expect(priced).toMatchObject({ costNanos: 0n, baseCostNanos: undefined, lines: [{ rateNanosPerMillion: 0n }] });
    expect(priced.lines[0]?.listRateNanosPerMillion).toBeUndefined();
  });

  it('sums to cost and base cost, and is the list price without a markup, whatever the price', () => {
    fc.assert(
      fc.property(prices, usages, images, (price, usage, pictures) => {
        const { lines, costNanos, baseCostNanos } = priceUsage(price, usage, pictures);
        const list = priceUsage(priceOfRequest([price.sheet], 0, NO_ADJUSTMENT), usage, pictures);
        expect(lines.reduce((sum, line) => sum + line.amountNanos, 0n)).toBe(costNanos);
        for (const [at, { quantity, rateNanosPerMillion, amountNanos }] of lines.entries()) {
          expect(rateNanosPerMillion).toBe(ownRate(list.lines[at]?.rateNanosPerMillion ?? -1n, price.markupPpm));
          expect(amountNanos).toBe(lineAmount(quantity, rateNanosPerMillion, price.discountPpm));
        }
        if (price.markupPpm === 0) expect(baseCostNanos).toBeUndefined();
        else expect(baseCostNanos).toBe(list.costNanos > MAX_CHARGE_NANOS ? undefined : list.costNanos);
        if (price.markupPpm === 0 && price.discountPpm === 0) expect(costNanos).toBe(list.costNanos);
      }),
      { seed: 38, numRuns: 2_000 },
    );
  });
});

describe('the maximum cost of a request', () => {
  it('uses the highest rate that input can have', () => {
    expect(maxCostNanos(priceOf(PLAIN), { inputTokens: 1_000n, outputTokens: 0n, images: 0n, searches: 0n })).toBe(
      2_500_000n,
    );
  });

  it('uses the highest tier that the prompt can reach', () => {
    const tier = (mark: bigint, nanos: bigint) => ({ aboveInputTokens: mark, rates: listOf([[Bucket.INPUT, nanos]]) });
    const price = priceOf([[Bucket.INPUT, 9_000_000n]], { tiers: [tier(10n, 2_000_000n), tier(100n, 50_000_000n)] });
    const bound = (inputTokens: bigint) =>
      maxCostNanos(price, { inputTokens, outputTokens: 0n, images: 0n, searches: 0n });
    expect(bound(10n)).toBe(90n);
    // Ten tokens at the first rate cost more than forty at the second.
    expect(bound(40n)).toBe(90n);
    expect(bound(100n)).toBe(200n);
    expect(bound(101n)).toBe(5_050n);
  });

  it.each([
    [HALF_A_NANO, 0],
    [2n * HALF_A_NANO, 500_000],
  ])('has room for lines that are all rounded up, at %i less %i ppm', (nanos, discount) => {
    const usage = usageOf({ input: 3, cache_read: 3, cache_write_5m: 3, cache_write_1h: 3 });
    const price = priceOf([[Bucket.INPUT, nanos]], {}, discount);
    expect(priceUsage(price, usage, 0).costNanos).toBe(8n);
    expect(
      maxCostNanos(price, { inputTokens: 12n, outputTokens: 0n, images: 0n, searches: 0n }),
    ).toBeGreaterThanOrEqual(8n);
  });

  it('is never below the cost of a usage within the bound, whatever the price', () => {
    fc.assert(
      fc.property(prices, usages, images, unused, unused, (price, usage, pictures, unreadInput, unusedOutput) => {
        const inputTokens = BigInt(promptOf(usage) + unreadInput);
        const outputTokens = BigInt(generatedBy(usage) + unusedOutput);
        const bound = maxCostNanos(price, {
          inputTokens,
          outputTokens,
          images: BigInt(pictures),
          searches: BigInt(usage.search),
        });
        expect(priceUsage(price, usage, pictures).costNanos <= bound).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the output that an amount pays for', () => {
  const affords = (nanos: bigint) =>
    affordableOutputTokens(priceOf(PLAIN), { inputTokens: 1_000n, images: 0n, searches: 0n }, nanos);

  it('is exact to the token', () => {
    expect(affords(2_500_000n + 8_000n)).toBe(1n);
    expect(affords(2_500_000n + 7_999n)).toBe(0n);
    expect(affords(2_499_999n)).toBe(-1n);
  });

  it('is the largest output whose maximum cost is within the amount', () => {
    fc.assert(
      fc.property(prices, tokens, images, fc.bigInt({ min: 0n, max: 10n ** 13n }), (price, input, pictures, nanos) => {
        const prompt = { inputTokens: BigInt(input), images: BigInt(pictures), searches: BigInt(pictures) };
        const affordable = affordableOutputTokens(price, prompt, nanos);
        const bound = (outputTokens: bigint) => maxCostNanos(price, { ...prompt, outputTokens });
        if (affordable < 0n) expect(bound(0n) > nanos).toBe(true);
        else {
          expect(bound(affordable) <= nanos).toBe(true);
          // A billion tokens mean no limit.
          if (affordable < 1_000_000_000n) expect(bound(affordable + 1n) > nanos).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('never costs more than the amount, whichever buckets its tokens fall into', () => {
    fc.assert(
      fc.property(prices, usages, images, tokens, (price, usage, pictures, more) => {
        const prompt = {
          inputTokens: BigInt(promptOf(usage)),
          images: BigInt(pictures),
          searches: BigInt(usage.search),
        };
        const nanos = maxCostNanos(price, { ...prompt, outputTokens: BigInt(generatedBy(usage)) }) + BigInt(more);
        const affordable = affordableOutputTokens(price, prompt, nanos);
        expect(affordable >= BigInt(generatedBy(usage))).toBe(true);
        const output = Number(minBigInt(affordable, 1_000_000n));
        const highest = { ...usage, output: output - Math.floor(output / 3), reasoning: Math.floor(output / 3) };
        expect(priceUsage(price, highest, pictures).costNanos <= nanos).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('requests at one price differ by their discount, their markup and by the multipliers of deployments, however often they are priced', () => {
  const rates = listOf([
    [Bucket.INPUT, 2_000_000_000n],
    [Bucket.OUTPUT, 8_000_000_000n],
  ]);
  const sheet = priceSheetOf({ version: 'v1', rates, tiers: [], options: [], effectiveFromMs: 0n });
  const bound = { inputTokens: 100n, outputTokens: 10n, images: 0n, searches: 0n };
  const most = new Map([
    [[1_000_000n], 280_000n],
    [[1_000_000n, 1_500_000n], 420_000n],
  ]);
  const discounts = Array.from({ length: 40 }, (_, index) => index * 25_000);
  for (const discount of [...discounts, ...discounts]) {
    for (const [multipliersPpm, nanos] of most) {
      const price = priceOfRequest(
        [sheet],
        0,
        { discountPpm: discount, markupPpm: 0 },
        { options: [], multipliersPpm },
      );
      const share = BigInt(1_000_000 - discount);
      expect(maxCostNanos(price, bound)).toBe((nanos * share) / 1_000_000n);
      const { costNanos } = priceUsage(price, usageOf({ input: 100, output: 10 }), 0);
      expect(costNanos).toBe((280_000n * share) / 1_000_000n);
      const adjustment = { discountPpm: discount, markupPpm: 1_000_000 };
      const doubled = priceOfRequest([sheet], 0, adjustment, { options: [], multipliersPpm });
      expect(maxCostNanos(doubled, bound)).toBe((2n * nanos * share) / 1_000_000n);
    }
  }
});
