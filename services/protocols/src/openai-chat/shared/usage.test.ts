import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUCKET_NAMES, claimsNoOutput, usageOf } from '../../canonical/usage.ts';
import { encodeUsage, readUsage } from './usage.ts';

const totals = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };

describe('readUsage', () => {
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
  ])('decodes %s', (_, usage, expected) => {
    expect(readUsage(usage)).toEqual(usageOf(expected));
  });

  test.each([
    [undefined],
    [null],
    ['100'],
    [[]],
    [{}],
    [{ prompt_tokens: 100 }],
    [{ completion_tokens: 100 }],
    [{ prompt_tokens: -1, completion_tokens: 5 }],
    [{ prompt_tokens: 1.5, completion_tokens: 5 }],
    [{ prompt_tokens: '1', completion_tokens: 5 }],
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

describe('encodeUsage', () => {
  test('decodes to the same usage, with its cost as a JSON number', () => {
    const usage = usageOf({ input: 10, cache_read: 4, output: 7, reasoning: 3 });
    const json: unknown = JSON.parse(encodeUsage(usage, '0.000012'));
    expect(readUsage(json)).toEqual(usage);
    expect(json).toMatchObject({ prompt_tokens: 14, completion_tokens: 10, total_tokens: 24, cost: 0.000012 });
  });
});
