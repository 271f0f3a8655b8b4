import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { event, RECORDED } from '../../../testing/anthropic-messages/recorded.ts';
import { checkStream } from '../../../testing/canonical/check-stream.ts';
import { collectResponse } from '../../canonical/response-collector.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { DecodedEvents } from '../../interface/protocol.ts';
import { SseParser } from '../../sse/parse.ts';
import { MessagesStreamDecoder } from './decode-stream.ts';

interface Decoded {
  readonly events: StreamEvent[];
  readonly last: DecodedEvents['kind'];
}

/** Decodes chunks up to the end, an error, malformed data, or the end of the body. */
function decode(...chunks: readonly (Buffer | string)[]): Decoded {
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const decoder = new MessagesStreamDecoder({ newId: () => 'new' });
  const events: StreamEvent[] = [];
  const take = (decoded: DecodedEvents) => {
    if (decoded.kind === 'events' || decoded.kind === 'end') events.push(...decoded.events);
    return decoded.kind;
  };
  for (const chunk of chunks) {
    for (const one of parser.push(Buffer.from(chunk)).events) {
      const kind = take(decoder.push(one));
      if (kind !== 'events') return { events, last: kind };
    }
  }
  return { events, last: take(decoder.eof()) };
}

test('a recorded stream has reasoning, text, calls, usage and end', () => {
  const { events, last } = decode(RECORDED);
  expect(last).toBe('end');
  checkStream(events);
  expect(collectResponse(events)).toEqual({
    id: 'msg_01',
    created: undefined,
    choices: [
      {
        parts: [
          {
            type: 'reasoning',
            form: 'summary',
            text: 'Zwölf 🙂',
            opaque: { origin: 'anthropic-messages', data: 'EqMC+/=' },
          },
          {
            type: 'text',
            text: 'Es ist wärmer.',
            citations: [
              { quote: 'warm', title: 'Weather', document: { index: 0, unit: 'character', start: 3, end: 7 } },
            ],
          },
          { type: 'tool-call', id: 'toolu_1', name: 'weather', kind: 'function', input: '{"city": "Köln"}' },
          { type: 'tool-call', id: 'toolu_2', name: 'time', kind: 'function', input: '' },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ],
    usage: usageOf({ input: 20, cache_read: 5, cache_write_5m: 2, cache_write_1h: 7, output: 18, reasoning: 12 }),
  });
});

describe('a message that is complete when it begins', () => {
  const content = [
    { type: 'text', text: 'Let me see.', citations: [] },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Köln' } },
  ];
  const message = { id: 'msg_01', role: 'assistant', content, stop_reason: 'tool_use', usage: { input_tokens: 5 } };
  const start = event('message_start', { message });
  const delta = event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } });
  const parts = [
    { type: 'text', text: 'Let me see.' },
    { type: 'tool-call', id: 'toolu_1', name: 'weather', kind: 'function', input: '{"city":"Köln"}' },
  ];

  test.each<[string, string]>([
    ['an end', start + event('message_stop', {})],
    ['its usage', start + delta + event('message_stop', {})],
    ['nothing', start],
    [
      'blocks that repeat it',
      [
        start,
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Let me see.' } }),
        event('content_block_stop', { index: 0 }),
        event('content_block_start', { index: 1, content_block: content[1] }),
        event('content_block_stop', { index: 1 }),
        delta,
        event('message_stop', {}),
      ].join(''),
    ],
  ])('is decoded once, before %s', (_, stream) => {
    const { events, last } = decode(stream);
    expect(last).toBe('end');
    checkStream(events);
    const [choice] = collectResponse(events).choices;
    expect(choice).toEqual({ parts, finish: { reason: 'tool-calls', raw: 'tool_use' } });
  });
});

const START = event('message_start', { message: { id: 'msg_1', usage: { input_tokens: 4, output_tokens: 1 } } });
const STOP = event('message_delta', { delta: { stop_reason: 'end_turn' } }) + event('message_stop', {});

function partsOf(...events: readonly string[]) {
  const decoded = decode(START, ...events, STOP);
  expect(decoded.last).toBe('end');
  checkStream(decoded.events);
  return collectResponse(decoded.events).choices[0]?.parts;
}

function textDelta(index: number, text: string): string {
  return event('content_block_delta', { index, delta: { type: 'text_delta', text } });
}

describe('leniency', () => {
  test('accepts blocks that were never opened or closed', () => {
    const thought = event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } });
    expect(partsOf(thought, textDelta(1, 'Hi'))).toEqual([
      { type: 'reasoning', form: 'summary', text: 'Hm' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  test('puts interleaved blocks in sequence', () => {
    const open = (index: number) => event('content_block_start', { index, content_block: { type: 'text', text: '' } });
    const stop = (index: number) => event('content_block_stop', { index });
    const mixed = [open(0), open(1), textDelta(1, 'c'), textDelta(0, 'a'), stop(1), textDelta(0, 'b'), stop(0)];
    expect(partsOf(...mixed)).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'text', text: 'c' },
    ]);
  });

  test('takes an input that comes with its call, and generates missing ids', () => {
    const call = event('content_block_start', {
      index: 0,
      content_block: { type: 'tool_use', name: 'f', input: { a: 1 } },
    });
    expect(partsOf(call)).toEqual([
      { type: 'tool-call', id: 'call_new', name: 'f', kind: 'function', input: '{"a":1}' },
    ]);
  });

  test('drops blocks of Anthropic’s own tools', () => {
    const server = event('content_block_start', {
      index: 0,
      content_block: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    });
    const input = event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } });
    expect(partsOf(server, input, event('content_block_stop', { index: 0 }), textDelta(1, 'Hi'))).toEqual([
      { type: 'text', text: 'Hi' },
    ]);
  });

  test('distinguishes redacted data from signatures', () => {
    const redacted = event('content_block_start', {
      index: 0,
      content_block: { type: 'redacted_thinking', data: 'Abc=' },
    });
    expect(partsOf(redacted)).toEqual([
      {
        type: 'reasoning',
        form: 'full',
        text: '',
        opaque: { origin: 'anthropic-messages', data: 'redacted_thinking:Abc=' },
      },
    ]);
  });

  test('joins a character split between two deltas, and replaces an incomplete one', () => {
    const half = (escaped: string) =>
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${escaped}"}}\n\n`;
    expect(partsOf(half('\\ud83d'), half('\\ude42'))).toEqual([{ type: 'text', text: '🙂' }]);
    expect(partsOf(half('a\\ud83d'))).toEqual([{ type: 'text', text: 'a\ufffd' }]);
  });

  test('a response is complete without message_stop once its stop reason is known, and incomplete without either', () => {
    const delta = event('message_delta', { delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 2 } });
    const whole = decode(START, textDelta(0, 'Hi'), delta);
    expect(whole.last).toBe('end');
    checkStream(whole.events);
    expect(whole.events.at(-1)).toMatchObject({ type: 'finish', finish: { reason: 'length', raw: 'max_tokens' } });
    expect(decode(START, textDelta(0, 'Hi')).last).toBe('malformed');
  });
});

test('an error event is an error', () => {
  const error = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  expect(decode(START, error).last).toBe('error');
});

test('garbage never makes an invalid stream, and never throws', () => {
  const index = fc.nat({ max: 2 });
  const type = fc.constantFrom('text', 'thinking', 'tool_use', 'redacted_thinking', 'server_tool_use', 'x');
  const deltaType = fc.constantFrom('text_delta', 'thinking_delta', 'input_json_delta', 'signature_delta', 'x');
  const block = fc.record({
    type,
    text: fc.anything(),
    thinking: fc.anything(),
    id: fc.anything(),
    data: fc.anything(),
  });
  const words = fc.string({ unit: fc.constantFrom('a', '\ud83d', '\ude42') });
  const delta = fc.record({ type: deltaType, text: words, thinking: words, partial_json: words, signature: words });
  const member = fc.record({ index, content_block: block, delta, message: fc.anything(), usage: fc.anything() });
  const name = fc.constantFrom(
    'content_block_start',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_start',
    'message_delta',
    'ping',
  );
  const events = fc.array(fc.tuple(name, member), { maxLength: 20 });
  fc.assert(
    fc.property(events, (list) => {
      const texts = list.map(([kind, members]) => {
        const json = JSON.stringify({ type: kind, ...members }, (_key, value) =>
          typeof value === 'bigint' ? String(value) : value,
        );
        return `data: ${json}\n\n`;
      });
      const decoded = decode(...texts, STOP);
      if (decoded.last === 'end') checkStream(decoded.events);
      else checkStream(decoded.events, false);
    }),
  );
});
