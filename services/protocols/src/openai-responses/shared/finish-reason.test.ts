import { describe, expect, test } from 'vitest';
import { decodeFinish } from './finish-reason.ts';

const NOTHING = { calls: false, refusal: false };

describe('readFinish', () => {
  test.each([
    ['completed', NOTHING, 'stop'],
    ['completed', { calls: true, refusal: false }, 'tool-calls'],
    ['completed', { calls: false, refusal: true }, 'refusal'],
    ['max_output_tokens', NOTHING, 'length'],
    ['content_filter', { calls: false, refusal: true }, 'content-filter'],
    // Incomplete without a reason: of the two there are, the filter is always named.
    ['incomplete', NOTHING, 'length'],
    ['word_of_tomorrow', NOTHING, 'other'],
  ])('%s of a response with %j is %s', (word, contents, reason) => {
    expect(decodeFinish(word, contents)).toEqual({ reason, raw: word });
  });
});
