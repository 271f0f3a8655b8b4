import { describe, expect, test } from 'vitest';
import { toStreamEvents } from '../../../testing/canonical/to-stream-events.ts';
import { wrapOpaque } from '../../canonical/opaque.ts';
import type { OutputPart } from '../../canonical/part.ts';
import type { CanonicalResponse, Finish } from '../../canonical/response.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import { usageOf } from '../../canonical/usage.ts';
import { SseParser } from '../../sse/parse.ts';
import { UNSIGNED } from '../shared/reasoning.ts';
import { encodeResponse } from './encode-response.ts';
import { MessagesStreamEncoder } from './encode-stream.ts';

const CONTEXT = { model: 'alias', created: 0, newId: () => '24letters', costOf: () => '0.5' };
const FINAL = { usage: usageOf({ input: 5, output: 3 }), estimated: false, cost: '0.5' };
const STOP: Finish = { reason: 'stop', raw: 'STOP' };
const CALL = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{"a":1}' } as const;

function responseOf(parts: readonly OutputPart[], finish = STOP): CanonicalResponse {
  return { id: 'x', created: 1, choices: [{ parts, finish }], usage: FINAL.usage };
}

function complete(parts: readonly OutputPart[], finish = STOP) {
  return JSON.parse(encodeResponse(responseOf(parts, finish), FINAL, CONTEXT).toString());
}

function streamed(events: readonly StreamEvent[]) {
  const encoder = new MessagesStreamEncoder(CONTEXT);
  const bytes = Buffer.concat([encoder.push(events) ?? Buffer.alloc(0), encoder.close(FINAL)]);
  return new SseParser({ maxEventBytes: 99_999 }).push(bytes).events.map((event) => JSON.parse(String(event.data)));
}

const USAGE = {
  input_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  output_tokens: 3,
  output_tokens_details: { thinking_tokens: 0 },
  server_tool_use: null,
};

test('a buffered response has all members that the SDK’s types require', () => {
  expect(complete([{ type: 'text', text: 'Hi' }, CALL])).toEqual({
    id: 'msg_24letters',
    type: 'message',
    role: 'assistant',
    model: 'alias',
    content: [
      { type: 'text', text: 'Hi' },
      { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 }, caller: { type: 'direct' } },
    ],
    container: null,
    diagnostics: null,
    stop_reason: 'tool_use',
    stop_sequence: null,
    stop_details: null,
    usage: { ...USAGE, service_tier: 'standard', inference_geo: null, speed: null, cost: 0.5 },
  });
});

test('so has a stream', () => {
  const events: StreamEvent[] = [
    { type: 'start', id: 'x', created: 1 },
    { type: 'part-start', part: 0, choice: 0, head: { type: 'text' } },
    { type: 'part-delta', part: 0, text: 'Hi' },
    { type: 'part-end', part: 0 },
    { type: 'part-start', part: 1, choice: 0, head: { type: 'tool-call', id: 'c', name: 'f', kind: 'function' } },
    { type: 'part-delta', part: 1, text: '{"a":1}' },
    { type: 'part-end', part: 1 },
    { type: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'tool_calls' } },
  ];
  const { content: _content, stop_details: _details, usage: _usage, ...head } = complete([]);
  const none = {
    ...USAGE,
    input_tokens: 0,
    output_tokens: 0,
    service_tier: 'standard',
    inference_geo: null,
    speed: null,
  };
  expect(streamed(events)).toEqual([
    {
      type: 'message_start',
      message: { ...head, content: [], stop_reason: null, stop_details: null, usage: none },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'c', name: 'f', input: {}, caller: { type: 'direct' } },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null, container: null },
      usage: { ...USAGE, cost: 0.5 },
    },
    { type: 'message_stop' },
  ]);
});

test('a stream begins with its input if the upstream reports it first', () => {
  const events: StreamEvent[] = [
    { type: 'start', id: '', created: undefined },
    { type: 'usage', usage: usageOf({ input: 7, cache_read: 2 }) },
  ];
  expect(streamed(events)[0].message.usage).toMatchObject({ input_tokens: 7, cache_read_input_tokens: 2 });
});

describe('thoughts', () => {
  const opaque = { origin: 'gemini', data: 'abc' } as const;
  test.each<[OutputPart, object[]]>([
    [{ type: 'reasoning', form: 'full', text: 'Hm' }, [{ type: 'thinking', thinking: 'Hm', signature: UNSIGNED }]],
    [
      { type: 'reasoning', form: 'full', text: '', opaque },
      [{ type: 'thinking', thinking: '', signature: 'tg1.gemini.YWJj' }],
    ],
    [
      { type: 'reasoning', form: 'full', text: 'Hm', opaque },
      [{ type: 'thinking', thinking: 'Hm', signature: 'tg1.gemini.YWJj' }],
    ],
    [
      { type: 'reasoning', form: 'full', text: '', opaque: { origin: 'anthropic-messages', data: 'EqMC' } },
      [{ type: 'thinking', thinking: '', signature: 'EqMC' }],
    ],
    [
      {
        type: 'reasoning',
        form: 'full',
        text: '',
        opaque: { origin: 'anthropic-messages', data: 'redacted_thinking:EqMC' },
      },
      [{ type: 'redacted_thinking', data: 'EqMC' }],
    ],
    [{ type: 'reasoning', form: 'full', text: '' }, []],
  ])('%j', (part, blocks) => {
    expect(complete([part, CALL]).content.slice(0, -1)).toEqual(blocks);
  });

  test('of a call come before it', () => {
    const signature = wrapOpaque({ ...opaque, of: { call: 'c' } }, 'anthropic-messages');
    expect(complete([{ ...CALL, opaque }]).content).toMatchObject([
      { type: 'thinking', thinking: '', signature },
      { type: 'tool_use' },
    ]);
    expect(streamed(toStreamEvents(responseOf([{ ...CALL, opaque }])))).toMatchObject([
      { type: 'message_start' },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use' } },
      { type: 'content_block_delta', index: 1 },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta' },
      { type: 'message_stop' },
    ]);
  });

  test('without visible text are never the last block, buffered or streamed', () => {
    const silent = { type: 'reasoning', form: 'full', text: '', opaque } as const;
    for (const parts of [
      [{ type: 'text', text: 'Hi', opaque } as const],
      [{ type: 'text', text: 'Hi' } as const, silent],
    ]) {
      expect(complete(parts).content).toEqual([{ type: 'text', text: 'Hi' }]);
      const starts = streamed(toStreamEvents(responseOf(parts))).filter(({ type }) => type === 'content_block_start');
      expect(starts).toMatchObject([{ content_block: { type: 'text' } }]);
    }
  });

  test('without a signature do not have an empty one', () => {
    const events = toStreamEvents(responseOf([{ type: 'reasoning', form: 'full', text: 'Hm' }, CALL]));
    expect(streamed(events)[3]).toMatchObject({ delta: { type: 'signature_delta', signature: UNSIGNED } });
  });
});

describe('finish reasons', () => {
  test.each<[Finish, string]>([
    [STOP, 'end_turn'],
    [{ reason: 'stop', raw: '', stopSequence: 'END' }, 'stop_sequence'],
    [{ reason: 'length', raw: '' }, 'max_tokens'],
    [{ reason: 'context', raw: '' }, 'model_context_window_exceeded'],
    [{ reason: 'content-filter', raw: '' }, 'refusal'],
    [{ reason: 'pause', raw: '' }, 'pause_turn'],
    [{ reason: 'other', raw: '' }, 'end_turn'],
  ])('%j', (finish, reason) => {
    const answer = complete([{ type: 'text', text: 'Hi' }], finish);
    expect(answer.stop_reason).toBe(reason);
    expect(answer.stop_sequence).toBe(reason === 'stop_sequence' ? 'END' : null);
    const details = { type: 'refusal', category: null, explanation: null };
    expect(answer.stop_details).toEqual(reason === 'refusal' ? details : null);
  });

  test('a refusal with its own text is a refusal, and a call is a call even if the finish reason does not show it', () => {
    expect(complete([{ type: 'refusal', text: 'No' }])).toMatchObject({
      stop_reason: 'refusal',
      content: [{ type: 'text', text: 'No' }],
    });
    expect(complete([CALL]).stop_reason).toBe('tool_use');
  });
});

test('citations name their source as Anthropic does', () => {
  const document = { index: 1, unit: 'page', start: 2, end: 3 } as const;
  const citations = [{ url: 'https://a.example', title: 'A' }, { quote: 'q', document }, { title: 'nowhere' }];
  expect(complete([{ type: 'text', text: 'Hi', citations }]).content[0].citations).toEqual([
    { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: '', encrypted_index: '' },
    {
      type: 'page_location',
      start_page_number: 2,
      end_page_number: 3,
      cited_text: 'q',
      document_index: 1,
      document_title: null,
      file_id: null,
    },
  ]);
});
