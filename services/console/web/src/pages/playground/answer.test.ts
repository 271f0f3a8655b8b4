import { expect, it } from 'vitest';
import { type Answer, WAITING, withEvent } from './answer.ts';
import type { PlaygroundEvent } from './events.ts';

function after(...events: PlaygroundEvent[]): Answer {
  return events.reduce((answer, event, index) => withEvent(answer, event, (index + 1) * 100), WAITING);
}

it('adds up text, and takes the time to the first piece until the gateway reports it', () => {
  const streaming = after(
    { type: 'started', request_id: 'r', trace_id: 't' },
    { type: 'reasoning', text: 'Hm' },
    { type: 'delta', text: 'Hel' },
    { type: 'delta', text: 'lo' },
  );
  expect(streaming).toMatchObject({
    state: 'streaming',
    requestId: 'r',
    text: 'Hello',
    reasoning: 'Hm',
    firstTokenMs: 200,
  });
  const done = withEvent(
    streaming,
    {
      type: 'done',
      finish_reason: 'stop',
      input_tokens: 3,
      output_tokens: 2,
      cost: '0.0001',
      first_token_ms: 150,
      duration_ms: 400,
    },
    500,
  );
  expect(done).toMatchObject({ state: 'done', firstTokenMs: 150, cost: '0.0001', durationMs: 400 });
});

it('joins the pieces of several tool calls', () => {
  const answer = after(
    { type: 'tool_call', index: 0, name: 'weather', arguments: '{"ci' },
    { type: 'tool_call', index: 1, name: 'clock', arguments: '{}' },
    { type: 'tool_call', index: 0, name: null, arguments: 'ty":"Ulm"}' },
  );
  expect(answer.toolCalls).toEqual([
    { name: 'weather', arguments: '{"city":"Ulm"}' },
    { name: 'clock', arguments: '{}' },
  ]);
});

it('keeps what arrived before an error', () => {
  const answer = after(
    { type: 'delta', text: 'Hel' },
    { type: 'error', message: 'The provider failed.', error_type: 'upstream_error', trace_id: 't' },
  );
  expect(answer).toMatchObject({ state: 'failed', text: 'Hel', traceId: 't', error: { type: 'upstream_error' } });
});
