import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { event, RECORDED } from '../../../testing/anthropic-messages/recorded.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { StreamStep } from '../../interface/protocol.ts';
import { SseParser } from '../../sse/parse.ts';
import { MessagesStreamTransformer } from './edit-stream.ts';

const CONTEXT = { model: 'alias', created: 0, newId: () => 'x', costOf: () => '0.5' };
const USAGE = usageOf({ input: 20, cache_read: 5, cache_write_5m: 2, cache_write_1h: 7, output: 18, reasoning: 12 });
const FINAL = { usage: USAGE, estimated: false, cost: '0.125' };

/** Passes chunks on until the stream is over. */
function pass(chunks: readonly Buffer[], final = FINAL): { steps: StreamStep[]; sent: string } {
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const transformer = new MessagesStreamTransformer(CONTEXT);
  const steps: StreamStep[] = [];
  const sent: Buffer[] = [];
  for (const chunk of chunks) {
    for (const one of parser.push(chunk).events) {
      const step = transformer.push(one);
      steps.push(step);
      if ('bytes' in step && step.bytes !== undefined) sent.push(step.bytes);
      if (step.kind === 'end') sent.push(transformer.close(final));
      if (step.kind === 'end') return { steps, sent: Buffer.concat(sent).toString() };
    }
  }
  return { steps, sent: Buffer.concat(sent).toString() };
}

function fieldOf(steps: readonly StreamStep[], field: 'text' | 'finishReason'): string {
  return steps.map((step) => (step.kind === 'content' || step.kind === 'end' ? step[field] : '')).join('');
}

test('only the model’s name and the cost change', () => {
  const { steps, sent } = pass([RECORDED]);
  const expected = RECORDED.toString()
    .replace('"claude-upstream"', '"alias"')
    .replace('"thinking_tokens":12}}', '"thinking_tokens":12},"cost":0.125}');
  expect(sent).toBe(expected);
  expect(fieldOf(steps, 'text')).toBe('Zwölf 🙂Es ist wärmer.weather{"city": "Köln"}time');
  expect(steps.at(-1)).toMatchObject({ kind: 'end', finishReason: 'tool_use' });
  expect(steps.at(-2)).toMatchObject({ kind: 'content', usage: USAGE });
});

test('nothing of the final usage is sent before the stream is closed', () => {
  const upToStop = RECORDED.toString().replace(/event: message_stop[\s\S]*/, '');
  const { steps, sent } = pass([Buffer.from(upToStop)]);
  expect(steps.at(-1)).toMatchObject({ kind: 'content', bytes: undefined, usage: USAGE });
  expect(sent).not.toContain('message_delta');
});

test('until the end the report has the input only', () => {
  const { steps } = pass([RECORDED.subarray(0, 1_200)]);
  const input = usageOf({ input: 20, cache_read: 5, cache_write_5m: 2, cache_write_1h: 7 });
  expect(steps[0]).toMatchObject({ kind: 'content', usage: input });
});

test('a message that is complete when it begins keeps its reason to stop, and is counted', () => {
  const content = [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Köln' } }];
  const message = { role: 'assistant', model: 'alias', content, stop_reason: 'tool_use', usage: { input_tokens: 5 } };
  const { steps, sent } = pass([Buffer.from(event('message_start', { message }) + event('message_stop', {}))]);
  expect(fieldOf(steps, 'text')).toBe('weather{"city":"Köln"}');
  expect(sent).toContain('"delta":{"stop_reason":"tool_use"');
});

test('an estimated usage replaces the upstream’s', () => {
  const usage = usageOf({ input: 8, output: 4 });
  const { sent } = pass([RECORDED], { usage, estimated: true, cost: '0.5' });
  const delta = JSON.parse(/data: (.*message_delta.*)/.exec(sent)?.[1] ?? '');
  expect(delta).toMatchObject({
    delta: { stop_reason: 'tool_use' },
    usage: { input_tokens: 8, output_tokens: 4, cost: 0.5 },
  });
});

test('events without names get them', () => {
  const bare = Buffer.from(RECORDED.toString().replaceAll(/event: .*\n/g, ''));
  expect(pass([bare]).sent).toBe(pass([RECORDED]).sent);
});

describe('bodies that are no response', () => {
  const START = event('message_start', { message: { model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } });

  test('an error event is an error, also before the beginning', () => {
    const error = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
    const expected = { kind: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(pass([Buffer.from(error)]).steps).toMatchObject([expected]);
    expect(pass([Buffer.from(START + error)]).steps[1]).toMatchObject(expected);
  });

  test.each([
    ['no JSON', 'data: {"type"\n\n'],
    ['no object', 'data: []\n\n'],
    ['no UTF-8', Buffer.from([...Buffer.from('data: {"type":"ping","a":"'), 0xff, ...Buffer.from('"}\n\n')])],
    ['a delta before the beginning', event('content_block_delta', { index: 0, delta: {} })],
    ['a beginning without a message', event('message_start', {})],
    ['an end before the beginning', event('message_stop', {})],
  ])('%s is malformed', (_name, bytes) => {
    expect(pass([Buffer.from(bytes)]).steps).toMatchObject([{ kind: 'malformed' }]);
  });

  test('a stream that ends early is malformed, one without only its last event is complete', () => {
    const events = (text: string) => new SseParser({ maxEventBytes: 99_999 }).push(Buffer.from(text)).events;
    const broken = new MessagesStreamTransformer(CONTEXT);
    for (const one of events(START)) broken.push(one);
    expect(broken.eof().kind).toBe('malformed');
    const whole = new MessagesStreamTransformer(CONTEXT);
    for (const one of events(START + event('message_delta', { delta: { stop_reason: 'end_turn' } }))) whole.push(one);
    expect(whole.eof()).toMatchObject({ kind: 'end', finishReason: 'end_turn' });
    expect(whole.close(FINAL).toString()).toMatch(/"cost":0\.125[\s\S]*message_stop/);
  });

  test.each([
    ['has no type', 'event: message_stop\ndata: {}\n\n'],
    ['has another name', 'event: other\ndata: {"type":"message_stop"}\n\n'],
  ])('the client gets a complete end event if its %s', (_, last) => {
    const { sent } = pass([Buffer.from(START + event('message_delta', { delta: { stop_reason: 'end_turn' } }) + last)]);
    expect(sent.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true);
    expect(sent).not.toContain(last);
  });

  test('garbage never ends a response, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string()), { maxLength: 5 }), (datas) => {
        const bytes = datas.map((data) => `data: ${data.replaceAll(/[\r\n]/g, ' ')}\n\n`).join('');
        for (const step of pass([Buffer.from(START + bytes)]).steps) expect(step.kind).not.toBe('end');
      }),
    );
  });
});
