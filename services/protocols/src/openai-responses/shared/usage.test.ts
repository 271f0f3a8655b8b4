import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usage as anyUsage } from '../../../testing/canonical/arbitrary.ts';
import { usageOf } from '../../canonical/usage.ts';
import { encodeUsage, readReport } from './usage.ts';

function readUsage(usage: unknown) {
  return readReport({ usage }, Buffer.from('{}'), []).usage;
}

describe('readUsage', () => {
  test('splits cached, written and reasoning tokens from the totals', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 15 },
      total_tokens: 120,
    };
    expect(readUsage(usage)).toEqual(
      usageOf({ input: 10, cache_read: 60, cache_write_5m: 30, output: 5, reasoning: 15 }),
    );
  });

  test('adds reasoning if the total shows it', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 7 },
      total_tokens: 22,
    };
    expect(readUsage(usage)).toEqual(usageOf({ input: 10, output: 5, reasoning: 7 }));
  });

  test('limits inconsistent details', () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 50, cache_write_tokens: 3 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 9 },
    };
    expect(readUsage(usage)).toEqual(usageOf({ cache_read: 10, reasoning: 4 }));
  });

  test.each([
    null,
    undefined,
    [],
    'x',
    {},
    { input_tokens: -1, output_tokens: 1 },
    { input_tokens: 1.5, output_tokens: 1 },
  ])('does not know %j', (value) => {
    expect(readUsage(value)).toBeUndefined();
  });

  test('splits cache writes by the lifetimes that the provider reports', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: {
        cached_tokens: 20,
        cache_write_tokens: 70,
        cache_write_tokens_details: { ttl_12h_tokens: 40, ttl_30m_tokens: 25 },
      },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 105,
    };
    const written = { cache_write_5m: 5, cache_write_30m: 25, cache_write_12h: 40 };
    expect(readUsage(usage)).toEqual(usageOf({ input: 10, cache_read: 20, ...written, output: 5 }));
  });

  test('decodes what it encodes, with cache writes of lifetimes that it does not have as one', () => {
    fc.assert(
      fc.property(anyUsage(), (usage) => {
        const json: unknown = JSON.parse(encodeUsage(usage, '0.125'));
        expect(json).toMatchObject({ cost: 0.125 });
        const written = usage.cache_write_5m + usage.cache_write_1h;
        expect(readUsage(json)).toEqual({ ...usage, cache_write_5m: written, cache_write_1h: 0 });
      }),
    );
  });
});
