import { describe, expect, test } from 'vitest';
import { SseParser } from '../sse/parse.ts';
import { encodeStreamError } from './errors.ts';

describe('encodeChatStreamError', () => {
  test('is one event with the error first and the trace id beside it', () => {
    const error = { message: 'line\nbreak', type: 'internal_error', code: 502, details: null };
    const events = new SseParser({ maxEventBytes: 10_000 }).push(encodeStreamError(error, 'trace')).events;
    expect(events.map((event) => JSON.parse(event.data?.toString() ?? ''))).toEqual([{ error, trace_id: 'trace' }]);
  });
});
