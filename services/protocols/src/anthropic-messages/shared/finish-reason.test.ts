import { expect, test } from 'vitest';
import { decodeFinish } from './finish-reason.ts';

test.each([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'context'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
  ['compaction', 'pause'],
  ['word_of_tomorrow', 'other'],
])('%s is %s', (raw, reason) => {
  expect(decodeFinish(raw, null)).toEqual({ reason, raw });
});
