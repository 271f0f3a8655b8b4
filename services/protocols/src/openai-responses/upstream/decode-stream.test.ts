import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkStream } from '../../../testing/canonical/check-stream.ts';
import { collectResponse } from '../../canonical/response-collector.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { DecodedEvents } from '../../interface/protocol.ts';
import { recordOr } from '../../json/record.ts';
import type { SseEvent } from '../../sse/event.ts';
import { SseParser } from '../../sse/parse.ts';
import { openaiResponses } from '../index.ts';

const { streamDecoder } = openaiResponses.upstream;
const CONTEXT = { newId: () => 'i'.repeat(24) };

type Data = Readonly<Record<string, unknown>> & { readonly type: string };

function sse(events: readonly Data[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

function parse(chunks: readonly Buffer[]): SseEvent[] {
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const events = chunks.flatMap((chunk) => [...parser.push(chunk).events]);
  const rest = parser.end();
  return rest === undefined ? events : [...events, rest];
}

function decode(chunks: readonly Buffer[]): { steps: DecodedEvents[]; events: StreamEvent[] } {
  const decoder = streamDecoder(CONTEXT);
  const steps = parse(chunks).map((event) => decoder.push(event));
  return { steps, events: steps.flatMap((step) => ('events' in step ? [...step.events] : [])) };
}

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 17, status: 'in_progress', model: 'm', output: [] };
const USAGE = { input_tokens: 5, output_tokens: 9, output_tokens_details: { reasoning_tokens: 4 }, total_tokens: 14 };
const CREATED: Data = { type: 'response.created', sequence_number: 0, response: RESPONSE };
const COMPLETED: Data = { type: 'response.completed', response: { ...RESPONSE, status: 'completed', usage: USAGE } };

const RECORDED: Data[] = [
  CREATED,
  { type: 'response.in_progress', response: RESPONSE },
  { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } },
  { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', output_index: 0, summary_index: 0, part: {} },
  { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 0, delta: 'One' },
  { type: 'response.reasoning_summary_part.added', item_id: 'rs_1', output_index: 0, summary_index: 1, part: {} },
  { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 1, delta: 'Two' },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { id: 'rs_1', type: 'reasoning', encrypted_content: 'gAAA', summary: [{ text: 'One' }, { text: 'Two' }] },
  },
  { type: 'response.output_item.added', output_index: 1, item: { id: 'msg_1', type: 'message', content: [] } },
  { type: 'response.content_part.added', output_index: 1, content_index: 0, part: { type: 'output_text', text: '' } },
  {
    type: 'response.output_text.delta',
    output_index: 1,
    content_index: 0,
    delta: 'Grüße \ud83c',
    logprobs: [],
    obfuscation: 'x',
  },
  {
    type: 'response.output_text.delta',
    output_index: 1,
    content_index: 0,
    delta: '\udf0d',
    logprobs: [{ token: '🌍', logprob: -0.5, top_logprobs: [] }],
  },
  {
    type: 'response.output_text.annotation.added',
    output_index: 1,
    content_index: 0,
    annotation: { type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 3 },
  },
  { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'Grüße 🌍' },
  {
    type: 'response.content_part.done',
    output_index: 1,
    content_index: 0,
    part: { type: 'output_text', text: 'Grüße 🌍', annotations: [{ type: 'url_citation', url: 'https://a' }] },
  },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: { type: 'message', content: [{ type: 'output_text', text: 'Grüße 🌍' }] },
  },
  {
    type: 'response.output_item.added',
    output_index: 2,
    item: { id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'f', arguments: '' },
  },
  {
    type: 'response.output_item.added',
    output_index: 3,
    item: { id: 'ct_1', type: 'custom_tool_call', call_id: 'c2', name: 'g', input: '' },
  },
  { type: 'response.custom_tool_call_input.delta', output_index: 3, delta: 'raw' },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"a"' },
  { type: 'response.custom_tool_call_input.done', output_index: 3, input: 'raw' },
  {
    type: 'response.output_item.done',
    output_index: 3,
    item: { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'raw' },
  },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: ':1}' },
  { type: 'response.function_call_arguments.done', output_index: 2, arguments: '{"a":1}' },
  {
    type: 'response.output_item.done',
    output_index: 2,
    item: { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
  },
  { type: 'response.something.new', output_index: 9 },
  COMPLETED,
];

const ANSWER = {
  id: 'resp_1',
  created: 17,
  choices: [
    {
      parts: [
        {
          type: 'reasoning',
          form: 'summary',
          text: 'One\n\nTwo',
          opaque: { origin: 'openai-responses', data: '{"id":"rs_1","encrypted_content":"gAAA"}' },
        },
        {
          type: 'text',
          text: 'Grüße 🌍',
          citations: [{ url: 'https://a', title: 'A', textRange: { start: 0, end: 3 } }],
        },
        { type: 'tool-call', kind: 'function', id: 'c1', name: 'f', input: '{"a":1}' },
        { type: 'tool-call', kind: 'custom', id: 'c2', name: 'g', input: 'raw' },
      ],
      finish: { reason: 'tool-calls', raw: 'completed' },
      logprobs: [{ token: '🌍', logprob: -0.5, top: [] }],
    },
  ],
  usage: usageOf({ input: 5, output: 5, reasoning: 4 }),
};

const REASONING = { type: 'reasoning_text', text: '' };

function outputText(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function textEvents(place: object, pieces: readonly string[]): Data[] {
  const text = pieces.join('');
  return [
    { type: 'response.content_part.added', ...place, part: outputText('') },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.content_part.done', ...place, part: outputText(text) },
  ];
}

function refusalEvents(place: object, pieces: readonly string[]): Data[] {
  const refusal = pieces.join('');
  return [
    { type: 'response.content_part.added', ...place, part: { type: 'refusal', refusal: '' } },
    ...pieces.map((delta) => ({ type: 'response.refusal.delta', ...place, delta })),
    { type: 'response.refusal.done', ...place, refusal },
    { type: 'response.content_part.done', ...place, part: { type: 'refusal', refusal } },
  ];
}

describe('ResponsesStreamDecoder', () => {
  test('decodes a stream, and puts interleaved calls in order', () => {
    const { steps, events } = decode([sse(RECORDED)]);
    checkStream(events);
    expect(collectResponse(events)).toEqual(ANSWER);
    expect(steps.at(-1)?.kind).toBe('end');
  });

  test('decodes the same without indices', () => {
    const ids = ['rs_1', 'msg_1', 'fc_1', 'fc_2'];
    const withoutIndex = ({ output_index: index, item, ...event }: Data): Data => {
      if (typeof index !== 'number') return event;
      const id = ids[index] ?? 'other';
      return item === undefined ? { ...event, item_id: id } : { ...event, item: { ...recordOr(item), id } };
    };
    expect(collectResponse(decode([sse(RECORDED.map(withoutIndex))]).events)).toEqual(ANSWER);
  });

  test('generates events that an upstream omits', () => {
    const item = {
      type: 'message',
      content: [{ type: 'output_text', text: 'Hi', annotations: [{ type: 'url_citation', url: 'https://a' }] }],
    };
    const call = { type: 'function_call', name: 'f', arguments: '{}' };
    const parts = (events: readonly Data[]) => {
      const decoded = decode([sse(events)]).events;
      checkStream(decoded);
      return collectResponse(decoded).choices[0]?.parts;
    };
    const text = { type: 'text', text: 'Hi' };
    expect(parts([{ type: 'response.output_text.delta', item_id: 'm', delta: 'Hi' }, COMPLETED])).toEqual([text]);
    expect(parts([CREATED, { type: 'response.output_text.done', output_index: 0, text: 'Hi' }, COMPLETED])).toEqual([
      text,
    ]);
    const cited = { ...text, citations: [{ url: 'https://a' }] };
    expect(parts([CREATED, { type: 'response.output_item.done', output_index: 0, item }, COMPLETED])).toEqual([cited]);
    const called = { type: 'tool-call', kind: 'function', id: `call_${'i'.repeat(24)}`, name: 'f', input: '{}' };
    expect(parts([CREATED, { type: 'response.output_item.done', output_index: 0, item: call }, COMPLETED])).toEqual([
      called,
    ]);
    const complete = { ...COMPLETED, response: { ...RESPONSE, status: 'completed', output: [item, call] } };
    expect(parts([complete])).toEqual([cited, called]);
    const thought = { type: 'response.reasoning_text.delta', output_index: 0, delta: 'hm' };
    expect(parts([thought, COMPLETED])).toEqual([{ type: 'reasoning', form: 'full', text: 'hm' }]);
  });

  test("leaves out a provider's own search that it announces as a call", () => {
    // As Perplexity was recorded.
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c_1', name: 'search_web', arguments: '{"queries":[]}' };
    const added: Data = {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...call, status: 'completed' },
    };
    const done = (item: object): Data => ({ type: 'response.output_item.done', output_index: 0, item });
    const text: Data = { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'Hi' };
    const { events } = decode([
      sse([CREATED, added, done({ type: 'search_results', queries: [], results: [] }), text, COMPLETED]),
    ]);
    checkStream(events);
    expect(collectResponse(events).choices).toEqual([
      { parts: [{ type: 'text', text: 'Hi' }], finish: { reason: 'stop', raw: 'completed' } },
    ]);

    const called = { type: 'tool-call', kind: 'function', id: 'c_1', name: 'search_web', input: '{"queries":[]}' };
    const delta: Data = { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"queries":[]}' };
    const streamed: Data = { ...added, item: { ...call, arguments: '', status: 'completed' } };
    for (const own of [[added, done(call)], [added], [streamed, delta], [streamed, delta, done(call)]]) {
      const decoded = decode([sse([CREATED, ...own, text, COMPLETED])]).events;
      checkStream(decoded);
      expect(collectResponse(decoded).choices[0]?.parts).toEqual(expect.arrayContaining([called]));
    }
  });

  const CONTENT: Data[] = [
    CREATED,
    { type: 'response.output_item.added', output_index: 0, item: { id: 'rs_1', type: 'reasoning', summary: [] } },
    { type: 'response.content_part.added', item_id: 'rs_1', output_index: 0, content_index: 0, part: REASONING },
    { type: 'response.reasoning_text.delta', item_id: 'rs_1', output_index: 0, content_index: 0, delta: 'Hm' },
    { type: 'response.reasoning_text.delta', item_id: 'rs_1', output_index: 0, content_index: 0, delta: '.' },
    { type: 'response.reasoning_text.done', item_id: 'rs_1', output_index: 0, content_index: 0, text: 'Hm.' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { id: 'rs_1', type: 'reasoning', summary: [], content: [{ ...REASONING, text: 'Hm.' }] },
    },
    { type: 'response.output_item.added', output_index: 1, item: { id: 'rs_2', type: 'reasoning', summary: [] } },
    { type: 'response.reasoning_summary_part.added', item_id: 'rs_2', output_index: 1, summary_index: 0, part: {} },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_2', output_index: 1, summary_index: 0, delta: 'In' },
    { type: 'response.reasoning_summary_text.done', item_id: 'rs_2', output_index: 1, summary_index: 0, text: 'In' },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { id: 'rs_2', type: 'reasoning', summary: [{ type: 'summary_text', text: 'In' }] },
    },
    { type: 'response.output_item.added', output_index: 2, item: { id: 'msg_1', type: 'message', content: [] } },
    ...textEvents({ item_id: 'msg_1', output_index: 2, content_index: 0 }, ['Hi', ' there']),
    ...refusalEvents({ item_id: 'msg_1', output_index: 2, content_index: 1 }, ['No', '!']),
    ...textEvents({ item_id: 'msg_1', output_index: 2, content_index: 2 }, ['Bye']),
    {
      type: 'response.output_item.done',
      output_index: 2,
      item: {
        id: 'msg_1',
        type: 'message',
        content: [outputText('Hi there'), { type: 'refusal', refusal: 'No!' }, outputText('Bye')],
      },
    },
    { type: 'response.output_item.added', output_index: 3, item: { id: 'msg_2', type: 'message', content: [] } },
    ...textEvents({ item_id: 'msg_2', output_index: 3, content_index: 0 }, ['More']),
    {
      type: 'response.output_item.done',
      output_index: 3,
      item: { id: 'msg_2', type: 'message', content: [outputText('More')] },
    },
    COMPLETED,
  ];

  const CONTENT_PARTS = [
    { type: 'reasoning', form: 'full', text: 'Hm.' },
    { type: 'reasoning', form: 'summary', text: 'In' },
    { type: 'text', text: 'Hi there' },
    { type: 'refusal', text: 'No!' },
    { type: 'text', text: 'Bye' },
    { type: 'text', text: 'More' },
  ];

  const renumbered = (numberOf: (index: number, event: Data, position: number) => number): Data[] =>
    CONTENT.map((event, position) => {
      const { content_index: index } = event;
      return typeof index === 'number' ? { ...event, content_index: numberOf(index, event, position) } : event;
    });
  const isDone = ({ type }: Data) => type.endsWith('.done');

  test.each<[string, Data[]]>([
    ['as specified', CONTENT],
    ['counted across items', renumbered((index, event) => index + Number(event['output_index']))],
    ['counted from 1', renumbered((index) => index + 1)],
    ['counted by event', renumbered((_index, _event, position) => position)],
    ['that is always 0', renumbered(() => 0)],
    ['that is another in the last events', renumbered((index, event) => index + (isDone(event) ? 1 : 0))],
    ['that is another in deltas', renumbered((index, event) => index + (event.type.endsWith('.delta') ? 1 : 0))],
    [
      'and an index of the next item in the last events',
      CONTENT.map((event) => (isDone(event) ? { ...event, output_index: Number(event['output_index']) + 1 } : event)),
    ],
  ])('decodes each text once, with a content index %s', (_, events) => {
    const { steps, events: decoded } = decode([sse(events)]);
    checkStream(decoded);
    expect(collectResponse(decoded).choices[0]?.parts).toEqual(CONTENT_PARTS);
    // No text waits for the end of another one.
    const waiting = events.flatMap(({ type }, step) => {
      const said = steps[step];
      const hasText = said?.kind === 'events' && said.events.some((event) => event.type === 'part-delta');
      return type.endsWith('.delta') && !hasText ? [step] : [];
    });
    expect(waiting).toEqual([]);
  });

  test('completes the content of a message from its last event', () => {
    const item = {
      type: 'message',
      content: [outputText('Hi there'), { type: 'refusal', refusal: 'No' }, outputText('')],
    };
    const delta: Data = { type: 'response.output_text.delta', output_index: 0, content_index: 3, delta: 'Hi' };
    const { events } = decode([sse([delta, { type: 'response.output_item.done', output_index: 0, item }, COMPLETED])]);
    expect(collectResponse(events).choices[0]?.parts).toEqual([
      { type: 'text', text: 'Hi there' },
      { type: 'refusal', text: 'No' },
    ]);
  });

  test.each<[string, Data, unknown]>([
    [
      'the limit',
      {
        ...COMPLETED,
        type: 'response.incomplete',
        response: { incomplete_details: { reason: 'max_output_tokens' }, status: 'incomplete' },
      },
      { reason: 'length', raw: 'max_output_tokens' },
    ],
    [
      'the filter',
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } },
      { reason: 'content-filter', raw: 'content_filter' },
    ],
    [
      'the limit, where it does not say so',
      { type: 'response.incomplete', response: { status: 'incomplete' } },
      { reason: 'length', raw: 'incomplete' },
    ],
    [
      'something else',
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'tomorrow' } } },
      { reason: 'other', raw: 'tomorrow' },
    ],
  ])('decodes the finish reason %s', (_, last, finish) => {
    expect(decode([sse([CREATED, last])]).events).toContainEqual({ type: 'finish', choice: 0, finish });
  });

  test('decodes a refusal', () => {
    const refusal: Data = { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'no' };
    const { events } = decode([sse([CREATED, refusal, COMPLETED])]);
    expect(events).toContainEqual({ type: 'finish', choice: 0, finish: { reason: 'refusal', raw: 'completed' } });
  });

  test('reports errors, and an early end', () => {
    const failed: Data = {
      type: 'response.failed',
      response: { ...RESPONSE, error: { code: 'server_error', message: 'm' } },
    };
    expect(decode([sse([failed])]).steps).toMatchObject([
      { kind: 'error', error: { code: 'server_error', message: 'm' } },
    ]);
    const error: Data = { type: 'error', code: 'c', message: 'm' };
    expect(decode([sse([error])]).steps).toMatchObject([{ kind: 'error', error: { code: 'c', message: 'm' } }]);
    expect(streamDecoder(CONTEXT).eof().kind).toBe('malformed');
    expect(decode([Buffer.from('data: [1]\n\n')]).steps[0]?.kind).toBe('malformed');
    expect(decode([Buffer.from('data: [DONE]\n\n: comment\n\n')]).steps.map(({ kind }) => kind)).toEqual([
      'events',
      'events',
    ]);
  });

  test('turns any garbage into a valid stream, an error or nothing', () => {
    const types = [...new Set(RECORDED.map(({ type }) => type)), 'response.refusal.delta', 'response.refusal.done'];
    const junk = fc.constantFrom<unknown>(null, true, -1, 7.5, '', 'x', [], [null], {}, { type: 7 }, '\ud83c');
    const mutated = fc.record(
      {
        type: fc.constantFrom(...types),
        output_index: fc.oneof(fc.nat({ max: 2 }), junk),
        content_index: fc.oneof(fc.nat({ max: 1 }), junk),
        delta: fc.oneof(fc.constantFrom('Hi', '\ud83c', '\udf0d'), junk),
        text: fc.oneof(fc.constantFrom('Hi there', ''), junk),
        part: fc.oneof(fc.constantFrom({ type: 'output_text', text: 'x' }, { type: 'refusal', refusal: 'x' }), junk),
        item: fc.oneof(
          fc.constantFrom(
            { type: 'message', content: [{ type: 'output_text', text: 'xy' }, 7] },
            { type: 'reasoning', encrypted_content: 'e', summary: 4 },
            { type: 'function_call', name: 5 },
            { type: 'image_generation_call', result: 'QQ==' },
          ),
          junk,
        ),
        response: fc.oneof(fc.constantFrom(RESPONSE, COMPLETED['response']), junk),
      },
      { requiredKeys: ['type'] },
    );
    const known = fc.constantFrom(...RECORDED);
    fc.assert(
      fc.property(fc.array(fc.oneof(known, mutated), { maxLength: 12 }), (events) => {
        const { steps, events: decoded } = decode([sse(events)]);
        const isComplete = steps.some(({ kind }) => kind === 'end');
        if (decoded.length > 0) checkStream(decoded, isComplete);
      }),
    );
  });

  test('never throws at bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.jsonValue(), (bytes, value) => {
        const data = Buffer.concat([Buffer.from('data: '), Buffer.from(bytes), Buffer.from('\n\n')]);
        const json = Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
        for (const { kind } of [...decode([data]).steps, ...decode([json]).steps]) {
          expect(['events', 'end', 'error', 'malformed']).toContain(kind);
        }
      }),
    );
  });
});

describe('decodeResponse', () => {
  const { decodeResponse } = openaiResponses.upstream;

  test('never throws at any body', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.jsonValue().map((value) => JSON.stringify({ output: [value, { content: value }], usage: value })),
        ),
        (text) => {
          expect(['response', 'error', 'malformed']).toContain(decodeResponse(Buffer.from(text), CONTEXT).kind);
        },
      ),
    );
  });

  test('decodes responses, errors and other bodies', () => {
    const body = {
      ...RESPONSE,
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 't' }] },
        { type: 'web_search_call', id: 'ws_1' },
        { type: 'message', content: [{ type: 'refusal', refusal: 'no' }] },
      ],
      usage: null,
    };
    expect(decodeResponse(Buffer.from(JSON.stringify(body)), CONTEXT)).toEqual({
      kind: 'response',
      response: {
        id: 'resp_1',
        created: 17,
        choices: [
          {
            parts: [
              { type: 'reasoning', form: 'full', text: 't' },
              { type: 'refusal', text: 'no' },
            ],
            finish: { reason: 'refusal', raw: 'completed' },
          },
        ],
        usage: undefined,
      },
    });
    const failed = { ...RESPONSE, status: 'failed', error: { code: 'c', message: 'm' } };
    expect(decodeResponse(Buffer.from(JSON.stringify(failed)), CONTEXT)).toMatchObject({
      kind: 'error',
      error: { code: 'c' },
    });
    expect(decodeResponse(Buffer.from('<html>'), CONTEXT).kind).toBe('malformed');
  });
});
