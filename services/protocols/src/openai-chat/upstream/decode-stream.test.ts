import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkStream } from '../../../testing/canonical/check-stream.ts';
import type { Choice } from '../../canonical/response.ts';
import { collectResponse } from '../../canonical/response-collector.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { DecodedEvents } from '../../interface/protocol.ts';
import type { SseEvent } from '../../sse/event.ts';
import { SseParser } from '../../sse/parse.ts';
import { ChatStreamDecoder } from './decode-stream.ts';

const chunk = (choices: readonly object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c-1', created: 17, model: 'up', choices, ...more })}\n\n`;
const delta = (fields: object, index = 0) => chunk([{ index, delta: fields, finish_reason: null }]);
const finish = (reason: string, index = 0) => chunk([{ index, delta: {}, finish_reason: reason }]);
const calls = (...pieces: object[]) => delta({ tool_calls: pieces });
const piece = (index: number, input: string, more: object = {}) => ({
  index,
  function: { arguments: input },
  ...more,
});
const head = (index: number, name: string, input = '', id = `call_${index}`) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: input },
});
const DONE = 'data: [DONE]\n\n';

interface Decoded {
  readonly steps: readonly DecodedEvents[];
  readonly events: readonly StreamEvent[];
}

/** The stream in pieces that are cut at these places. */
function decode(stream: string | Buffer, ...cuts: number[]): Decoded {
  let ids = 0;
  const bytes = Buffer.from(stream);
  const parser = new SseParser({ maxEventBytes: 100_000 });
  const decoder = new ChatStreamDecoder({ newId: () => `new${++ids}` });
  const steps: DecodedEvents[] = [];
  const take = (event: SseEvent) => {
    const hasFailed = steps.some((step) => step.kind === 'error' || step.kind === 'malformed');
    if (!hasFailed) steps.push(decoder.push(event));
  };
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    parser.push(bytes.subarray(from, to)).events.forEach(take);
    from = to;
  }
  const rest = parser.end();
  if (rest !== undefined) take(rest);
  if (steps.every((step) => step.kind === 'events')) steps.push(decoder.eof());
  return { steps, events: steps.flatMap((step) => ('events' in step ? step.events : [])) };
}

/** The first choice of a stream that must be valid and complete. */
function choiceOf(...pieces: string[]): Choice {
  const { steps, events } = decode(pieces.join(''));
  expect(steps.at(-1)?.kind).toBe('end');
  checkStream(events);
  const [choice] = collectResponse(events).choices;
  if (choice === undefined) throw new Error('no choice');
  return choice;
}

const callsOf = (...pieces: string[]) =>
  choiceOf(...pieces).parts.flatMap((part) => (part.type === 'tool-call' ? [[part.id, part.name, part.input]] : []));

/** The events as they come: kinds of parts, and texts. */
const flow = (...pieces: string[]) =>
  decode(pieces.join('')).steps.map((step) =>
    'events' in step
      ? step.events.map((event) => (event.type === 'part-delta' ? event.text : event.type)).join(' ')
      : step.kind,
  );

describe('a stream', () => {
  test('opens, extends and closes a part, and finishes at the end', () => {
    expect(flow(delta({ role: 'assistant', content: '' }), delta({ content: 'a' }), delta({ content: 'b' }))).toEqual([
      'start',
      'part-start a',
      'b',
      'malformed',
    ]);
    expect(
      flow(
        delta({ content: 'a' }),
        finish('stop'),
        chunk([], { usage: { prompt_tokens: 1, completion_tokens: 1 } }),
        DONE,
      ),
    ).toEqual(['start part-start a', '', 'usage', 'part-end finish usage']);
  });

  test('begins with the upstream’s id of the response', () => {
    expect(decode(delta({ content: 'a' })).events[0]).toEqual({ type: 'start', id: 'c-1', created: 17 });
    expect(decode('data: {"choices":[],"created":"soon"}\n\n').events[0]).toEqual({
      type: 'start',
      id: '',
      created: undefined,
    });
  });

  test('closes a part when another kind begins, in any order', () => {
    const signature = { type: 'reasoning.text', text: '', signature: 's', index: 0 };
    expect(
      choiceOf(
        delta({ reasoning_content: 'h' }),
        delta({ reasoning: 'm', content: 'a' }),
        delta({ refusal: 'no' }),
        delta({ content: 'b' }),
        delta({ reasoning_details: [{ type: 'reasoning.text', text: 'k', index: 0 }], reasoning: 'k' }),
        delta({ reasoning_details: [signature] }),
        finish('stop'),
      ).parts,
    ).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'refusal', text: 'no' },
      { type: 'text', text: 'b' },
      { type: 'reasoning', text: 'k', opaque: { origin: 'openai-chat', data: 's' } },
    ]);
  });

  test('decodes reasoning once if its signature repeats the text', () => {
    const complete = { type: 'reasoning.text', text: 'hm', signature: 's', index: 0 };
    expect(
      choiceOf(
        delta({ reasoning_content: 'h' }),
        delta({ reasoning_content: 'm' }),
        delta({ reasoning_details: [complete] }),
        finish('stop'),
      ).parts,
    ).toEqual([{ type: 'reasoning', form: 'full', text: 'hm', opaque: { origin: 'openai-chat', data: 's' } }]);
  });

  test('decodes reasoning wherever it is, once', () => {
    const reasoning = { type: 'reasoning', form: 'full', text: 'hm' };
    const text = { type: 'text', text: 'a' };
    const thinking = (piece: string) =>
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }] });
    for (const deltas of [
      [delta({ reasoning: 'h', reasoning_content: 'h' }), delta({ reasoning: 'm', reasoning_content: 'm' })],
      [delta({ reasoning: 'h', reasoning_content: '' }), delta({ reasoning: 'm', reasoning_content: null })],
      [delta({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] })],
      [thinking('h'), thinking('m')],
    ]) {
      expect(choiceOf(...deltas, delta({ content: 'a' }), finish('stop')).parts).toEqual([reasoning, text]);
    }
    const both = [
      { type: 'thinking', thinking: 'hm', closed: true },
      { type: 'text', text: 'a' },
    ];
    expect(choiceOf(delta({ content: both }), finish('stop')).parts).toEqual([reasoning, text]);
    expect(choiceOf(delta({ content: '<think>hm</think>a' }), finish('stop')).parts).toEqual([
      { type: 'text', text: '<think>hm</think>a' },
    ]);
  });

  test('decodes citations, images, audio transcripts and log probabilities', () => {
    const page = { url: 'u', title: 't', start_index: 0, end_index: 1 };
    const choice = choiceOf(
      delta({ content: 'a' }),
      delta({ annotations: [{ type: 'url_citation', url_citation: page }] }),
      delta({ images: [{ image_url: { url: 'https://a.example' } }] }),
      delta({ audio: { transcript: 'spoken' } }),
      chunk([{ index: 0, delta: {}, logprobs: { content: [{ token: 'a', logprob: -1 }] }, finish_reason: 'stop' }]),
    );
    expect(choice).toMatchObject({
      parts: [
        { type: 'text', text: 'a', citations: [{ url: 'u', title: 't', textRange: { start: 0, end: 1 } }] },
        { type: 'image', source: { kind: 'url', url: 'https://a.example' } },
        { type: 'text', text: 'spoken' },
      ],
      logprobs: [{ token: 'a', logprob: -1, top: [] }],
    });
  });

  test('keeps choices separate', () => {
    const { events } = decode(
      delta({ content: 'a' }) +
        delta({ content: 'x' }, 1) +
        delta({ content: 'b' }) +
        finish('stop', 1) +
        finish('length'),
    );
    checkStream(events);
    expect(collectResponse(events).choices).toMatchObject([
      { parts: [{ text: 'ab' }], finish: { reason: 'length' } },
      { parts: [{ text: 'x' }], finish: { reason: 'stop' } },
    ]);
  });

  test('ends with [DONE], or when all choices have ended, not earlier', () => {
    const kinds = (...pieces: string[]) => decode(pieces.join('')).steps.at(-1)?.kind;
    expect(kinds(delta({ content: 'a' }), DONE)).toBe('end');
    expect(kinds(delta({ content: 'a' }), finish('stop'))).toBe('end');
    expect(kinds(delta({ content: 'a' }), delta({ content: 'b' }, 1), finish('stop'))).toBe('malformed');
    expect(kinds('')).toBe('malformed');
    expect(kinds(DONE)).toBe('malformed');
    expect(kinds('data: {"error":{"message":"m"}}\n\n')).toBe('error');
    expect(kinds('data: {\n\n')).toBe('malformed');
  });

  test('accepts nothing after its end', () => {
    const { steps } = decode(delta({ content: 'a' }) + finish('stop') + DONE + delta({ content: 'b' }));
    expect(steps.at(-1)).toEqual({ kind: 'events', events: [] });
  });

  test('loses nothing that comes after the finish reason', () => {
    expect(choiceOf(delta({ content: 'a' }), finish('stop'), delta({ content: 'b' }), DONE).parts).toMatchObject([
      { text: 'ab' },
    ]);
  });

  test('uses the last usage report', () => {
    const usage = (tokens: number) => ({ usage: { prompt_tokens: 1, completion_tokens: tokens } });
    const { events } = decode(chunk([], usage(1)) + chunk([{ delta: {}, finish_reason: 'stop' }], usage(2)) + DONE);
    expect(collectResponse(events).usage).toEqual(usageOf({ input: 1, output: 2 }));
  });
});

describe('tool calls', () => {
  test('are sent as they come, in sequence', () => {
    expect(
      flow(
        calls(head(0, 'f')),
        calls(piece(0, '{"a":')),
        calls(piece(0, '1}')),
        calls(head(1, 'g')),
        calls(piece(1, '{}')),
      ),
    ).toEqual(['start part-start', '{"a":', '1}', 'part-end part-start', '{}', 'malformed']);
  });

  test('that are interleaved are put in order, and none is lost', () => {
    expect(
      callsOf(
        calls(head(0, 'f'), head(1, 'g')),
        calls(piece(0, '{"a"'), piece(1, '{"x')),
        calls(piece(1, '":2}'), piece(0, ':1}')),
        calls(head(2, 'h')),
        delta({ content: 'text between' }),
        calls(piece(2, '{}')),
        finish('tool_calls'),
      ),
    ).toEqual([
      ['call_0', 'f', '{"a":1}'],
      ['call_1', 'g', '{"x":2}'],
      ['call_2', 'h', '{}'],
    ]);
  });

  test.each<[string, string[], string[][]]>([
    ['without ids', [calls({ index: 0, function: { name: 'f', arguments: '{}' } })], [['call_new1', 'f', '{}']]],
    [
      'all of the number 0, with ids of their own',
      [calls(head(0, 'f', '{}', 'x')), calls(head(0, 'g', '{"a":1}', 'y'))],
      [
        ['x', 'f', '{}'],
        ['y', 'g', '{"a":1}'],
      ],
    ],
    [
      'all of the number 0, without ids',
      [calls(head(0, 'f', '{"a":1}', '')), calls(head(0, 'f', '{"a":2}', ''))],
      [
        ['call_new1', 'f', '{"a":1}'],
        ['call_new2', 'f', '{"a":2}'],
      ],
    ],
    [
      'without numbers',
      [
        calls({ id: 'x', function: { name: 'f', arguments: '{' } }),
        calls({ function: { arguments: '}' } }),
        calls({ id: 'y', function: { name: 'g', arguments: '{}' } }),
      ],
      [
        ['x', 'f', '{}'],
        ['y', 'g', '{}'],
      ],
    ],
    [
      'whose id and name come with every piece',
      [calls(head(0, 'f', '{"a":', 'x')), calls(head(0, 'f', '1}', 'x')), calls(head(0, 'f', '', 'x'))],
      [['x', 'f', '{"a":1}']],
    ],
    [
      'whose name comes late',
      [calls(piece(0, '{"a"')), calls({ index: 0, id: 'x', function: { name: 'f', arguments: ':1}' } })],
      [['x', 'f', '{"a":1}']],
    ],
    [
      'that are an object',
      [calls({ index: 0, id: 'x', function: { name: 'f', arguments: { a: 1 } } })],
      [['x', 'f', '{"a":1}']],
    ],
    [
      'as they were before tools',
      [delta({ function_call: { name: 'f', arguments: '{' } }), delta({ function_call: { arguments: '}' } })],
      [['call_new1', 'f', '{}']],
    ],
  ])('%s are distinguished', (_, pieces, expected) => {
    expect(callsOf(...pieces, finish('stop'))).toEqual(expected);
  });

  test.each([
    ['function_call', { content: 'a', function_call: { name: '', arguments: '' } }],
    ['function_call without arguments', { content: 'a', function_call: { name: '' } }],
    ['tool_calls that are null', { content: 'a', tool_calls: null, function_call: null }],
    ['tool_calls that are empty', { content: 'a', tool_calls: [], refusal: '', audio: null }],
    [
      'a call without anything',
      { content: 'a', tool_calls: [{ index: 0, id: '', function: { name: '' }, custom: { name: '' } }] },
    ],
  ])('are none if a server sends stubs: %s', (_, stub) => {
    const { parts, finish: end } = choiceOf(delta(stub), delta(stub), finish('stop'));
    expect(parts).toEqual([{ type: 'text', text: 'aa' }]);
    expect(end.reason).toBe('stop');
  });

  test('are functions although a server sends a stub of a custom tool with each', () => {
    const stub = { custom: { name: '', input: '' } };
    expect(
      callsOf(calls({ ...head(0, 'f', '{"a":'), ...stub }), calls({ ...piece(0, '1}'), ...stub }), finish('stop')),
    ).toEqual([['call_0', 'f', '{"a":1}']]);
    const custom = { index: 0, id: 'x', function: { name: '', arguments: '' }, custom: { name: 'p', input: 'in' } };
    expect(choiceOf(calls(custom), finish('stop')).parts).toMatchObject([{ kind: 'custom', name: 'p', input: 'in' }]);
  });

  test('may have their id before their name', () => {
    const first = { index: 0, id: 'x', type: 'function', function: { name: '', arguments: '' } };
    expect(
      callsOf(calls(first), calls({ index: 0, function: { name: 'f', arguments: '{}' } }), finish(''), DONE),
    ).toEqual([['x', 'f', '{}']]);
  });

  test('are tool calls, whatever the finish reason', () => {
    expect(choiceOf(calls(head(0, 'f', '{}')), finish('stop')).finish).toEqual({ reason: 'tool-calls', raw: 'stop' });
  });

  test('may be of custom tools, and signed', () => {
    const signature = { extra_content: { google: { thought_signature: 's' } } };
    expect(
      choiceOf(
        calls({ index: 0, id: 'x', type: 'custom', custom: { name: 'p', input: 'a' }, ...signature }),
        calls({ index: 0, custom: { input: '}b' } }),
        finish('tool_calls'),
      ).parts,
    ).toMatchObject([{ kind: 'custom', name: 'p', input: 'a}b', opaque: { origin: 'gemini', data: 's' } }]);
  });

  test('that continue after another has begun are not truncated silently', () => {
    const pieces = calls(head(0, 'f', '{}')) + calls(head(1, 'g')) + calls(piece(0, 'more'));
    expect(decode(pieces).steps.at(-1)?.kind).toBe('malformed');
    expect(decode(pieces.replace('more', ' ')).steps.at(-2)?.kind).toBe('events');
  });
});

describe('characters', () => {
  const half = (text: string) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;

  test('split by an upstream’s escapes are joined', () => {
    expect(choiceOf(half('a\\ud83d'), half('\\ude00b'), finish('stop')).parts).toMatchObject([{ text: 'a😀b' }]);
  });

  test('that are incomplete are replaced', () => {
    expect(choiceOf(half('\\ude00a'), half('\\ud83d'), finish('stop')).parts).toMatchObject([
      { text: '\ufffda\ufffd' },
    ]);
  });
});

test('any upstream stream makes a valid stream', () => {
  const word = fc.constantFrom('', 'a', '{', '}', '{}', '\ud83d', '\ude00', ' ');
  const small = fc.constantFrom(0, 1, 2, -1, undefined, 'x');
  const call = fc.record(
    {
      index: small,
      id: word,
      function: fc.record({ name: word, arguments: fc.oneof(word, fc.constant({ a: 1 })) }, { requiredKeys: [] }),
      custom: fc.record({ name: word, input: word }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  const detail = fc.record(
    {
      type: fc.constantFrom('reasoning.text', 'reasoning.summary', 'reasoning.encrypted', 'x'),
      text: word,
      summary: word,
      signature: word,
      data: fc.constantFrom('', 'd', 'tg1.gemini.p.AAAA'),
      index: small,
    },
    { requiredKeys: [] },
  );
  const fields = fc.record(
    {
      content: fc.oneof(word, fc.jsonValue()),
      refusal: word,
      reasoning_content: word,
      reasoning_details: fc.array(detail, { maxLength: 2 }),
      tool_calls: fc.array(call, { maxLength: 3 }),
      annotations: fc.constant([{ url_citation: { url: 'u' } }]),
      images: fc.constant([{ image_url: { url: 'u' } }]),
    },
    { requiredKeys: [] },
  );
  const choice = fc.record(
    {
      index: small,
      delta: fc.oneof({ arbitrary: fields, weight: 5 }, fc.jsonValue()),
      finish_reason: fc.constantFrom(null, null, null, 'stop', 'tool_calls', 'odd', 5),
    },
    { requiredKeys: [] },
  );
  const any = fc.oneof(
    { arbitrary: fc.array(choice, { maxLength: 2 }).map((choices) => chunk(choices)), weight: 8 },
    fc.jsonValue().map((value) => `data: ${JSON.stringify(value)}\n\n`),
    fc.constantFrom(DONE, ': ping\n\n'),
  );
  fc.assert(
    fc.property(fc.array(any, { maxLength: 12 }), (pieces) => {
      const { steps, events } = decode(pieces.join(''));
      if (events.length > 0)
        checkStream(
          events,
          steps.some((step) => step.kind === 'end'),
        );
    }),
    { numRuns: 1_000 },
  );
});
