import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usage as anyUsage } from '../../../testing/canonical/arbitrary.ts';
import { CACHE_WRITE_BUCKETS, usageOf, writtenTokensOf } from '../../canonical/usage.ts';
import { encodeUsage, readUsage } from './usage.ts';

test.each([
  [
    'cached tokens are within the prompt',
    { promptTokenCount: 10, cachedContentTokenCount: 4, candidatesTokenCount: 3, totalTokenCount: 13 },
    { input: 6, cache_read: 4, output: 3 },
  ],
  [
    'thoughts come on top',
    { promptTokenCount: 10, candidatesTokenCount: 3, thoughtsTokenCount: 5, totalTokenCount: 18 },
    { input: 10, output: 3, reasoning: 5 },
  ],
  [
    'thoughts are within where the total says so',
    { promptTokenCount: 10, candidatesTokenCount: 8, thoughtsTokenCount: 5, totalTokenCount: 18 },
    { input: 10, output: 3, reasoning: 5 },
  ],
  [
    'what tools added to the prompt comes on top',
    { promptTokenCount: 10, toolUsePromptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 20 },
    { input: 17, output: 3 },
  ],
  [
    'candidates that are left out are what the total leaves',
    { promptTokenCount: 10, thoughtsTokenCount: 5, totalTokenCount: 18 },
    { input: 10, output: 3, reasoning: 5 },
  ],
  ['a refused prompt has no candidates', { promptTokenCount: 10, totalTokenCount: 10 }, { input: 10 }],
  ['more cached than there is cannot be', { promptTokenCount: 10, cachedContentTokenCount: 40 }, { cache_read: 10 }],
])('%s', (_, reported, quantities) => {
  expect(readUsage(reported)).toEqual(usageOf(quantities));
});

test.each([
  undefined,
  null,
  {},
  [],
  5,
  { promptTokenCount: -1 },
  { promptTokenCount: 1.5 },
  { promptTokenCount: 'five' },
  { candidatesTokenCount: 5 },
])('%j is unknown, not zero', (value) => {
  expect(readUsage(value)).toBeUndefined();
});

test('encoded usage decodes to the same, with the cost', () => {
  fc.assert(
    fc.property(anyUsage(), (usage) => {
      const json: unknown = JSON.parse(encodeUsage(usage, '0.5'));
      expect(json).toMatchObject({ cost: 0.5 });
      expect(readUsage(json)).toEqual({
        ...usage,
        ...Object.fromEntries(CACHE_WRITE_BUCKETS.map((bucket) => [bucket, 0])),
        input: usage.input + writtenTokensOf(usage),
      });
    }),
  );
});

test('each reported token is billed once, whether thoughts are within the candidates or on top, and what is left out', () => {
  const counts = fc.record({
    input: fc.nat(99),
    read: fc.nat(99),
    tools: fc.nat(99),
    output: fc.nat(99),
    thoughts: fc.nat(99),
  });
  const ways = fc.record({ isWithin: fc.boolean(), hasTotal: fc.boolean(), hasCandidates: fc.boolean() });
  fc.assert(
    fc.property(counts, ways, ({ input, read, tools, output, thoughts }, { isWithin, hasTotal, hasCandidates }) => {
      // Without the total, thoughts are on top; without candidates, they are what the total leaves.
      fc.pre(hasTotal || (hasCandidates && !isWithin));
      const usage = readUsage({
        promptTokenCount: input + read,
        cachedContentTokenCount: read,
        toolUsePromptTokenCount: tools,
        thoughtsTokenCount: thoughts,
        ...(hasCandidates && { candidatesTokenCount: output + (isWithin ? thoughts : 0) }),
        ...(hasTotal && { totalTokenCount: input + read + tools + output + thoughts }),
      });
      expect(usage).toEqual(usageOf({ input: input + tools, cache_read: read, output, reasoning: thoughts }));
    }),
    { numRuns: 1_000 },
  );
});
