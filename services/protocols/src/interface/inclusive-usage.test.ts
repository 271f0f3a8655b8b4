import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUCKET_NAMES, claimsNoOutput, usageOf } from '../canonical/usage.ts';
import { readInclusiveUsage as readUsage } from './inclusive-usage.ts';

const totals = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };

describe('readInclusiveUsage', () => {
  test.each<[string, object, object]>([
    ['plain', totals, { input: 100, output: 50 }],
    [
      'null details',
      { ...totals, prompt_tokens_details: null, completion_tokens_details: null },
      { input: 100, output: 50 },
    ],
    [
      'all details',
      {
        ...totals,
        prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 20, rejected_prediction_tokens: 5 },
      },
      { input: 10, cache_read: 60, cache_write_5m: 30, output: 30, reasoning: 20 },
    ],
    [
      'more cached than there was',
      { ...totals, prompt_tokens_details: { cached_tokens: 101 } },
      { cache_read: 100, output: 50 },
    ],
    [
      'more cached and written than there was',
      { ...totals, prompt_tokens_details: { cached_tokens: 80, cache_write_tokens: 80 } },
      { cache_read: 80, cache_write_5m: 20, output: 50 },
    ],
    [
      'more reasoning than output',
      { ...totals, completion_tokens_details: { reasoning_tokens: 51 } },
      { input: 100, reasoning: 50 },
    ],
    [
      'reasoning on top of the output, as the total shows',
      { ...totals, total_tokens: 350, completion_tokens_details: { reasoning_tokens: 200 } },
      { input: 100, output: 50, reasoning: 200 },
    ],
    [
      'senseless details',
      { ...totals, prompt_tokens_details: { cached_tokens: -1 }, completion_tokens_details: { reasoning_tokens: 0.5 } },
      { input: 100, output: 50 },
    ],
    [
      'DeepSeek',
      { ...totals, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
      { input: 36, cache_read: 64, output: 50 },
    ],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0 }, {}],
    ['numbers as text', { prompt_tokens: '100', completion_tokens: '50.0' }, { input: 100, output: 50 }],
    [
      'no prompt, but a total',
      { prompt_tokens: null, completion_tokens: 50, total_tokens: 150 },
      { input: 100, output: 50 },
    ],
    ['no completion, but a total', { prompt_tokens: 100, total_tokens: 150 }, { input: 100, output: 50 }],
    ['only an input', { prompt_tokens: 100 }, { input: 100 }],
    ['only an output', { completion_tokens: 50 }, { output: 50 }],
    ['a total of zero', { ...totals, total_tokens: 0 }, { input: 100, output: 50 }],
    ['names of responses', { input_tokens: 100, output_tokens: 50 }, { input: 100, output: 50 }],
    [
      'Gemini, whose thoughts are only in the total',
      { prompt_tokens: 100, completion_tokens: 50, total_tokens: 450 },
      { input: 100, output: 50, reasoning: 300 },
    ],
    [
      'cached tokens on top of the prompt, as the total shows',
      { ...totals, total_tokens: 950, prompt_tokens_details: { cached_tokens: 800 } },
      { input: 100, cache_read: 800, output: 50 },
    ],
    ['Moonshot', { ...totals, cached_tokens: 64 }, { input: 36, cache_read: 64, output: 50 }],
    ['Mistral', { ...totals, num_cached_tokens: 64 }, { input: 36, cache_read: 64, output: 50 }],
    [
      'Qwen with a cache of its own',
      {
        ...totals,
        prompt_tokens_details: {
          cached_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 90 },
          cache_creation_input_tokens: 90,
          cache_type: 'ephemeral',
        },
      },
      { input: 10, cache_write_5m: 90, output: 50 },
    ],
    [
      'writes for an hour',
      { ...totals, prompt_tokens_details: { cache_creation: { ephemeral_1h_input_tokens: 90 } } },
      { input: 10, cache_write_1h: 90, output: 50 },
    ],
    ['SGLang', { ...totals, reasoning_tokens: 20 }, { input: 100, output: 30, reasoning: 20 }],
    [
      'Perplexity’s deep search, which counts nothing twice',
      { ...totals, citation_tokens: 2_000, num_search_queries: 18, reasoning_tokens: 7_000 },
      { input: 2_100, output: 50, reasoning: 7_000, search: 18 },
    ],
  ])('decodes %s', (_, usage, expected) => {
    expect(readUsage(usage)).toEqual(usageOf(expected));
  });

  test.each([
    [undefined],
    [null],
    ['100'],
    [[]],
    [{}],
    [{ prompt_tokens: -1, completion_tokens: 5 }],
    [{ prompt_tokens: 1.5, completion_tokens: 5 }],
    [{ prompt_tokens: 'many', completion_tokens: 5 }],
    [{ prompt_tokens: '1.5', completion_tokens: 5 }],
    [{ prompt_tokens: 1, completion_tokens: 1e300 }],
  ])('treats %j as unknown', (usage) => {
    expect(readUsage(usage)).toBeUndefined();
  });

  test('its buckets are integers, not negative, and add up to the totals, whatever the details are', () => {
    const odd = fc.oneof(fc.nat(), fc.integer(), fc.double(), fc.constant(null), fc.string());
    const details = fc.dictionary(fc.constantFrom('cached_tokens', 'cache_write_tokens', 'reasoning_tokens'), odd);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), details, details, (prompt, completion, promptDetails, completionDetails) => {
        const usage = readUsage({
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: promptDetails,
          completion_tokens_details: completionDetails,
        });
        if (usage === undefined) throw new Error('the totals are there');
        for (const bucket of BUCKET_NAMES) expect(Number.isSafeInteger(usage[bucket]) && usage[bucket] >= 0).toBe(true);
        expect(usage.input + usage.cache_read + usage.cache_write_5m).toBe(prompt);
        expect(usage.output + usage.reasoning).toBe(completion);
      }),
    );
  });

  test('each reported token is billed once, whichever details the totals contain and whichever come on top', () => {
    const truths = fc.record({ input: fc.nat(99), read: fc.nat(99), short: fc.nat(99), long: fc.nat(99) });
    const outputs = fc.record({ output: fc.nat(99), reasoning: fc.nat(99) });
    const ways = fc.record({ isCacheOnTop: fc.boolean(), isReasoningOnTop: fc.boolean() });
    fc.assert(
      fc.property(truths, outputs, ways, ({ input, read, short, long }, { output, reasoning }, way) => {
        const cached = read + short + long;
        // What is as many as the other, or none, cannot be told apart.
        fc.pre(!(way.isCacheOnTop || way.isReasoningOnTop) || (cached !== reasoning && cached > 0 && reasoning > 0));
        const prompt = input + (way.isCacheOnTop ? 0 : cached);
        const completion = output + (way.isReasoningOnTop ? 0 : reasoning);
        const usage = readUsage({
          prompt_tokens: prompt,
          completion_tokens: completion,
          total_tokens: input + cached + output + reasoning,
          prompt_tokens_details: {
            cached_tokens: read,
            cache_write_tokens: short + long,
            cache_creation: { ephemeral_1h_input_tokens: long },
          },
          completion_tokens_details: { reasoning_tokens: reasoning },
        });
        const written = { cache_write_5m: short, cache_write_1h: long };
        expect(usage).toEqual(usageOf({ input, cache_read: read, ...written, output, reasoning }));
      }),
      { numRuns: 1_000 },
    );
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.anything(), (value) => void readUsage(value)));
  });

  test('distinguishes zero from unknown, so that zero beside delivered text is noticed', () => {
    const zero = readUsage({ prompt_tokens: 5, completion_tokens: 0 });
    expect(zero !== undefined && claimsNoOutput(zero)).toBe(true);
    const reasoned = readUsage({ ...totals, completion_tokens_details: { reasoning_tokens: 50 } });
    expect(reasoned !== undefined && claimsNoOutput(reasoned)).toBe(false);
  });
});
