import { describe, expect, test } from 'vitest';
import { decodeFinishReason } from './finish-reason.ts';

describe('finishReasonOf', () => {
  test.each([
    ['STOP', false, 'stop'],
    ['STOP', true, 'tool-calls'],
    ['MAX_TOKENS', true, 'length'],
    ['MALFORMED_FUNCTION_CALL', true, 'malformed-call'],
    ['OTHER', true, 'other'],
    ['A_REASON_OF_TOMORROW', false, 'other'],
    // Some compatible upstreams have a finish reason of their own for it.
    ['FUNCTION_CALL', true, 'tool-calls'],
  ])('%s, with calls: %s', (raw, hasCalls, reason) => {
    expect(decodeFinishReason(raw, hasCalls)).toBe(reason);
  });
});
