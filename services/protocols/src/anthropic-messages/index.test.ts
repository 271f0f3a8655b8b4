import { expect, test } from 'vitest';
import { usageOf } from '../canonical/usage.ts';
import { runToEnd } from '../lists/stages.ts';
import { SseParser } from '../sse/parse.ts';
import { anthropicMessages } from './index.ts';

const CALL = { model: '', stream: 'none' } as const;
const CONTEXT = { model: 'claude', created: 0, newId: () => 'x', costOf: () => '0.5' };
const ERROR = { message: 'no', type: 'internal_error', code: 502, details: null };

function read(body: unknown) {
  const result = runToEnd(anthropicMessages.parseRequest(Buffer.from(JSON.stringify(body)), CALL));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

const HELLO = { model: 'claude', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };

test('rejects a request without an output limit, except for counting', () => {
  const { max_tokens: _limit, ...rest } = HELLO;
  const body = Buffer.from(JSON.stringify(rest));
  const refused = runToEnd(anthropicMessages.parseRequest(body, CALL));
  expect(refused).toEqual({
    ok: false,
    error: { path: 'max_tokens', message: 'max_tokens: required, but missing' },
  });
  const { count } = anthropicMessages;
  if (count === undefined) throw new Error('no count');
  expect(runToEnd(count.parseRequest(body, CALL)).ok).toBe(true);
  expect(count.encodeResponse(12)).toBe('{"input_tokens":12}');
});

test('the forwarded request has the provider’s model name and the limit that the balance allows', () => {
  const forwarded = read({ ...HELLO, unknown: 1.0 }).editRequest({ upstreamModel: 'claude-x', outputTokens: 5 });
  expect(JSON.parse(forwarded.toString())).toEqual({ ...HELLO, unknown: 1, model: 'claude-x', max_tokens: 5 });
});

test('errors have the contract’s fields and the top-level type, in bodies and in streams', () => {
  const body = JSON.parse(anthropicMessages.encodeError(ERROR, 'trace'));
  expect(body).toEqual({ error: ERROR, trace_id: 'trace', type: 'error' });
  const [event] = new SseParser({ maxEventBytes: 9_999 }).push(read(HELLO).encodeStreamError(ERROR, 'trace')).events;
  expect(event?.type).toBe('error');
  expect(JSON.parse(String(event?.data))).toEqual(body);
});

test('a buffered response passes with the client’s model name and the cost', () => {
  const answer = {
    id: 'msg_1',
    type: 'message',
    model: 'claude-x',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  const transformer = read(HELLO)
    .responseTransformer(CONTEXT)
    .transform(Buffer.from(JSON.stringify(answer)));
  if (transformer.kind !== 'response') throw new Error(transformer.kind);
  expect(transformer).toMatchObject({
    finishReason: 'end_turn',
    text: 'Hello',
    usage: usageOf({ input: 3, output: 2 }),
  });
  const final = { usage: usageOf({ input: 3, output: 2 }), estimated: false, cost: '0.5' };
  expect(JSON.parse(transformer.render(final).toString())).toEqual({
    ...answer,
    model: 'claude',
    usage: { ...answer.usage, cost: 0.5 },
  });
});
