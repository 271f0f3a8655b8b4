import { Bucket } from '@tollgate/proto/router';
import { BUCKET_NAMES, usageOf } from '@tollgate/protocols/usage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { affordableOutputTokens, boundNanos, priceSheetOf, priceUsage } from './price-sheet.ts';

const rate = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.bigInt({ min: 0n, max: 3_000_000n }));
const tokens = fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.integer({ min: 0, max: 9 }));
const sheets = fc.array(fc.tuple(fc.constantFrom(1, 2, 3, 4, 5, 6), rate), { maxLength: 6 }).map((rates) =>
  priceSheetOf({
    version: 'v',
    rates: rates.map(([bucket, nanosPerMillion]) => ({ bucket: bucket as Bucket, nanosPerMillion })),
  }),
);

describe('a price sheet', () => {
  const sheet = priceSheetOf({
    version: 'v1',
    rates: [
      { bucket: Bucket.INPUT, nanosPerMillion: 2_000_000_000n },
      { bucket: Bucket.CACHE_READ, nanosPerMillion: 500_000_000n },
      { bucket: Bucket.CACHE_WRITE_5M, nanosPerMillion: 2_500_000_000n },
      { bucket: Bucket.OUTPUT, nanosPerMillion: 8_000_000_000n },
    ],
  });

  it('charges a line for each bucket used, reasoning at the rate of output', () => {
    const { lines, costNanos } = priceUsage(sheet, usageOf({ input: 10, cache_read: 4, output: 3, reasoning: 2 }));
    expect(lines.map(({ bucket, quantity, amountNanos }) => [bucket, quantity, amountNanos])).toEqual([
      ['input', 10n, 20_000n],
      ['cache_read', 4n, 2_000n],
      ['output', 3n, 24_000n],
      ['reasoning', 2n, 16_000n],
    ]);
    expect(costNanos).toBe(62_000n);
  });

  it('bounds input by the dearest way it can be billed', () => {
    expect(boundNanos(sheet, 1_000n, 0n)).toBe(2_500_000n);
  });

  it('says how much output an amount pays for', () => {
    expect(affordableOutputTokens(sheet, 1_000n, 2_500_000n + 8_000n)).toBe(1n);
    expect(affordableOutputTokens(sheet, 1_000n, 2_500_000n + 7_999n)).toBe(0n);
    expect(affordableOutputTokens(sheet, 1_000n, 2_499_999n)).toBe(-1n);
  });

  it('never costs more than the bound, however the tokens fall into buckets', () => {
    fc.assert(
      fc.property(sheets, fc.tuple(tokens, tokens, tokens, tokens, tokens, tokens), (any, quantities) => {
        const usage = usageOf(
          Object.fromEntries(BUCKET_NAMES.slice(0, 6).map((bucket, index) => [bucket, quantities[index]])),
        );
        const input = usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h;
        const bound = boundNanos(any, BigInt(input), BigInt(usage.output + usage.reasoning));
        expect(priceUsage(any, usage).costNanos <= bound).toBe(true);
      }),
    );
  });

  it('affords what it bounds', () => {
    fc.assert(
      fc.property(sheets, tokens, tokens, (any, input, output) => {
        const nanos = boundNanos(any, BigInt(input), BigInt(output));
        expect(affordableOutputTokens(any, BigInt(input), nanos) >= BigInt(output)).toBe(true);
      }),
    );
  });
});
