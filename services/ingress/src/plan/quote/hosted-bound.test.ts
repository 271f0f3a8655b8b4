import { Bucket } from '@tollgate/proto/router';
import { usageOf } from '@tollgate/protocols/canonical/usage';
import { HOSTED_TOOL_KINDS } from '@tollgate/protocols/interface/hosted-tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceSheetOf } from '../../shared/catalogue/price-sheet.ts';
import { maxCostNanos, priceOfRequest, priceUsage } from '../../shared/catalogue/request-price.ts';
import { billedSearches, type HostedTerms, inputTokensWithUses, limitUses, possibleUses } from './hosted-bound.ts';

const TERMS: HostedTerms = {
  uses: { search: 3 },
  ownSearches: 0,
  canLimit: true,
  isForced: false,
  contextWindow: 10_000,
  tokensPerUse: 1_000,
  billedPerRequest: false,
};
const PROMPT = { inputTokens: 500, outputTokens: 100 };

describe('the input of a request with hosted tools', () => {
  it('is the prompt without uses', () => {
    expect(inputTokensWithUses(TERMS, {}, PROMPT)).toBe(500);
  });

  it('is read again after each use, and once more for a use that fails', () => {
    expect(inputTokensWithUses(TERMS, { search: 1, fetch: 1 }, PROMPT)).toBe(500 + 1_600 + 2_600 + 3_600);
  });

  it('is read again after each search of the provider’s own', () => {
    const terms = { ...TERMS, ownSearches: 2 };
    expect(inputTokensWithUses(terms, {}, PROMPT)).toBe(500 + 1_600 + 2_600);
    expect(inputTokensWithUses(terms, { search: 1 }, PROMPT)).toBe(500 + 1_600 + 2_600 + 3_600 + 4_600);
  });

  it('is read again after each search for tools', () => {
    const terms = { ...TERMS, tokensPerUse: 10 };
    expect(inputTokensWithUses(terms, { tool_search: 2 }, PROMPT)).toBe(500 + 610 + 620);
  });

  it('is at most the context window each time', () => {
    const terms = { ...TERMS, tokensPerUse: 9_000 };
    expect(inputTokensWithUses(terms, { search: 2 }, PROMPT)).toBe(500 + 9_600 + 10_000 + 10_000);
  });

  it('is at least as long as a prompt whose images exceed the window', () => {
    const prompt = { inputTokens: 12_000, outputTokens: 100 };
    expect(inputTokensWithUses(TERMS, { search: 1 }, prompt)).toBe(36_000);
  });
});

describe('uses', () => {
  it('can be lowered where the protocol has a field for them', () => {
    expect(possibleUses(TERMS)).toEqual([3, 2, 1, 0]);
    expect(possibleUses({ ...TERMS, isForced: true })).toEqual([3, 2, 1]);
    expect(possibleUses({ ...TERMS, canLimit: false })).toEqual([3, 0]);
    expect(possibleUses({ ...TERMS, canLimit: false, isForced: true })).toEqual([3]);
  });

  it('are lowered for each kind', () => {
    expect(limitUses({ ...TERMS, uses: { search: 8, fetch: 2 } }, 3)).toEqual({ search: 3, fetch: 2 });
    expect(limitUses({ ...TERMS, uses: { search: 8, tool_search: 5 } }, 3)).toEqual({ search: 3, tool_search: 5 });
    expect(limitUses(TERMS, 0)).toEqual({});
  });

  it('are billed as one where the catalogue says so', () => {
    expect(billedSearches(TERMS, { search: 3 })).toBe(3);
    expect(billedSearches({ ...TERMS, billedPerRequest: true }, { search: 3 })).toBe(1);
    expect(billedSearches({ ...TERMS, billedPerRequest: true }, { fetch: 3 })).toBe(0);
    expect(billedSearches({ ...TERMS, ownSearches: 2 }, { search: 3 })).toBe(5);
    expect(billedSearches({ ...TERMS, ownSearches: 2, billedPerRequest: true }, {})).toBe(1);
  });
});

const rate = fc.bigInt({ min: 0n, max: 100_000_000_000n });
const prices = fc
  .record({
    input: rate,
    cache: rate,
    output: rate,
    search: rate,
    tier: rate,
    above: fc.bigInt({ min: 1n, max: 90_000n }),
  })
  .map(({ input, cache, output, search, tier, above }) =>
    priceSheetOf({
      version: 'v',
      effectiveFromMs: 0n,
      options: [],
      rates: [
        { bucket: Bucket.INPUT, nanosPerMillion: input },
        { bucket: Bucket.CACHE_WRITE_5M, nanosPerMillion: cache },
        { bucket: Bucket.OUTPUT, nanosPerMillion: output },
        { bucket: Bucket.SEARCH, nanosPerMillion: search },
      ],
      tiers: [
        {
          aboveInputTokens: above,
          rates: [
            { bucket: Bucket.INPUT, nanosPerMillion: tier },
            { bucket: Bucket.OUTPUT, nanosPerMillion: tier },
          ],
        },
      ],
    }),
  );

it('no bill exceeds the hold, whatever is found and however often, up to the limit', () => {
  const conversations = fc.record({
    sheet: prices,
    discountPpm: fc.nat({ max: 1_000_000 }),
    markupPpm: fc.integer({ min: -1_000_000, max: 10_000_000 }),
    allowed: fc.record({ search: fc.nat({ max: 12 }), fetch: fc.nat({ max: 12 }), tool_search: fc.nat({ max: 5 }) }),
    inputTokens: fc.nat({ max: 20_000 }),
    outputTokens: fc.nat({ max: 4_000 }),
    tokensPerUse: fc.integer({ min: 1, max: 20_000 }),
    // What each use finds and each turn writes, as a share of the maximum.
    uses: fc.array(
      fc.record({ kind: fc.constantFrom(...HOSTED_TOOL_KINDS), found: fc.nat({ max: 100 }), cached: fc.boolean() }),
      {
        maxLength: 24,
      },
    ),
    billedPerRequest: fc.boolean(),
  });
  fc.assert(
    fc.property(conversations, (given) => {
      const { allowed, inputTokens, outputTokens, tokensPerUse, billedPerRequest } = given;
      const contextWindow = 30_000;
      const terms: HostedTerms = { ...TERMS, uses: allowed, contextWindow, tokensPerUse, billedPerRequest };
      const price = priceOfRequest([given.sheet], 0, given);
      const hold = maxCostNanos(price, {
        inputTokens: BigInt(inputTokensWithUses(terms, allowed, { inputTokens, outputTokens })),
        outputTokens: BigInt(outputTokens),
        images: 0n,
        searches: BigInt(billedSearches(terms, allowed)),
      });
      const left = { ...allowed };
      let found = 0;
      let searches = 0;
      const usage = { input: inputTokens, cache_write_5m: 0 };
      for (const { kind, found: share, cached } of given.uses) {
        if (left[kind] === 0) continue;
        left[kind] -= 1;
        if (kind === 'search') searches += 1;
        found += Math.floor((tokensPerUse * share) / 100);
        const prompt = Math.min(contextWindow, inputTokens + outputTokens + found);
        usage[cached ? 'cache_write_5m' : 'input'] += prompt;
      }
      const search = billedPerRequest ? Math.min(searches, 1) : searches;
      const { costNanos } = priceUsage(price, usageOf({ ...usage, output: outputTokens, search }), 0);
      expect(costNanos).toBeLessThanOrEqual(hold);
    }),
    { numRuns: 2_000 },
  );
});
