import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usage } from '../canonical/testing/arbitrary.ts';
import { usageOf } from '../usage.ts';
import {
  mergeMessagesUsage,
  messagesDeltaUsageJson,
  messagesUsageJson,
  readMessagesUsage,
  readStartUsage,
} from './usage.ts';

describe('readMessagesUsage', () => {
  test.each([
    [{ input_tokens: 3, output_tokens: 2 }, usageOf({ input: 3, output: 2 })],
    [
      {
        input_tokens: 3,
        output_tokens: 9,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 6,
        cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 5 },
        output_tokens_details: { thinking_tokens: 7 },
        server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
      },
      usageOf({ input: 3, cache_read: 4, cache_write_5m: 1, cache_write_1h: 5, output: 2, reasoning: 7, search: 2 }),
    ],
    [
      { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 8, cache_creation: null },
      usageOf({ input: 1, output: 1, cache_write_5m: 8 }),
    ],
    [
      { input_tokens: 1, output_tokens: 2, output_tokens_details: { thinking_tokens: 5 } },
      usageOf({ input: 1, reasoning: 2 }),
    ],
    [{ input_tokens: 1 }, undefined],
    [{ input_tokens: -1, output_tokens: 1 }, undefined],
    [{ input_tokens: 1, output_tokens: 1.5 }, undefined],
    [null, undefined],
  ])('%j', (value, expected) => {
    expect(readMessagesUsage(value)).toEqual(expected);
  });
});

describe('a stream', () => {
  const start = {
    input_tokens: 10,
    output_tokens: 3,
    cache_creation_input_tokens: 5,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 },
  };

  test('begins with a report of its input alone', () => {
    expect(readStartUsage(start)).toEqual(usageOf({ input: 10, cache_write_1h: 5 }));
    expect(readStartUsage({ input_tokens: 0, output_tokens: 0 })).toBeUndefined();
  });

  test('ends with cumulative numbers, which replace those of the beginning where they are there', () => {
    expect(mergeMessagesUsage(start, { output_tokens: 20, input_tokens: null })).toEqual(
      usageOf({ input: 10, cache_write_1h: 5, output: 20 }),
    );
    expect(mergeMessagesUsage(start, { output_tokens: 20, input_tokens: 30, cache_creation_input_tokens: 8 })).toEqual(
      usageOf({ input: 30, cache_write_1h: 8, output: 20 }),
    );
    expect(mergeMessagesUsage(undefined, { output_tokens: 20 })).toBeUndefined();
    expect(mergeMessagesUsage(start, undefined)).toBeUndefined();
  });
});

test('what is written is read again, with the cost beside it', () => {
  fc.assert(
    fc.property(usage(), fc.nat({ max: 9 }), (tokens, search) => {
      const given = { ...tokens, search };
      for (const json of [messagesUsageJson(given, '0.000012'), messagesDeltaUsageJson(given, '0.000012')]) {
        const value = JSON.parse(json);
        expect(value.cost).toBe(0.000012);
        expect(readMessagesUsage(value)).toEqual(given);
      }
    }),
  );
});
