import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ResponseSwitches, response, stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import { toStreamEvents } from '../../testing/canonical/to-stream-events.ts';
import { expressible, expressibleBuffered, expressibleUsage } from '../../testing/openai-chat/expressible.ts';
import type { OutputPart } from '../canonical/part.ts';
import type { CanonicalResponse, Choice } from '../canonical/response.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import { restoreParts } from '../canonical/restore-opaques.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { type Usage, usageOf } from '../canonical/usage.ts';
import type { FinalUsage, ResponseContext } from '../interface/protocol.ts';
import type { SseEvent } from '../sse/event.ts';
import { SseParser } from '../sse/parse.ts';
import { encodeResponse } from './client/encode-response.ts';
import { ChatStreamEncoder, type ChatStreamStyle } from './client/encode-stream.ts';
import { encodeCallSignature } from './shared/reasoning.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { ChatStreamDecoder } from './upstream/decode-stream.ts';

function context(): ResponseContext {
  let ids = 0;
  return { model: 'm', created: 17, newId: () => `id${++ids}`, costOf: () => '0' };
}

const STYLE: ChatStreamStyle = { single: false, includeUsage: true };
const FINAL: FinalUsage = { usage: usageOf({ input: 5, output: 2 }), estimated: false, cost: '0.25' };

function final(usage: Usage | undefined): FinalUsage {
  return { ...FINAL, usage: usage ?? FINAL.usage };
}

function complete(answer: CanonicalResponse, style = STYLE): Record<string, unknown> {
  return JSON.parse(encodeResponse(answer, final(answer.usage), context(), style).toString());
}

function written(events: readonly StreamEvent[], style = STYLE): Buffer {
  const encoder = new ChatStreamEncoder(context(), style);
  const pieces = events.map((event) => encoder.push([event]) ?? Buffer.alloc(0));
  return Buffer.concat([...pieces, encoder.close(final(collectResponse(events).usage))]);
}

function parse(bytes: Buffer): SseEvent[] {
  return [...new SseParser({ maxEventBytes: 1_000_000 }).push(bytes).events];
}

function chunks(bytes: Buffer): Record<string, unknown>[] {
  return parse(bytes)
    .slice(0, -1)
    .map((event): Record<string, unknown> => JSON.parse(event.data?.toString() ?? ''));
}

function decoded(events: readonly SseEvent[]): StreamEvent[] {
  const decoder = new ChatStreamDecoder({ newId: context().newId });
  const all: StreamEvent[] = [];
  for (const event of events) {
    const step = decoder.push(event);
    if (step.kind === 'error' || step.kind === 'malformed') throw new Error(JSON.stringify(step));
    all.push(...step.events);
  }
  return all;
}

const PAGE = { url: 'https://a.example', title: 'T' };
const SIG = { origin: 'openai-chat', data: 'sig' } as const;
/** What the first call carries of the reasoning before it. */
const CARRIED = encodeCallSignature({ thoughts: [{ form: 'full', text: 'hm', texts: 0, opaque: SIG }] });
const RESPONSE: CanonicalResponse = {
  id: 'x',
  created: 1,
  usage: usageOf({ input: 3, cache_read: 1, cache_write_1h: 2, output: 4, reasoning: 5 }),
  choices: [
    {
      parts: [
        { type: 'reasoning', form: 'full', text: 'hm', opaque: SIG },
        { type: 'text', text: 'see ' },
        { type: 'text', text: 'that', citations: [{ ...PAGE, textRange: { start: 1, end: 3 } }, { quote: 'no page' }] },
        { type: 'tool-call', id: 'c1', name: 'f', kind: 'function', input: '' },
        { type: 'tool-call', id: 'c2', name: 'p', kind: 'custom', input: 'raw' },
      ],
      finish: { reason: 'tool-calls', raw: 'tool_use' },
      logprobs: [{ token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2, bytes: [98] }] }],
    },
  ],
};

describe('a buffered response', () => {
  test('has all fields of the specification', () => {
    expect(complete(RESPONSE)).toEqual({
      id: 'chatcmpl-id1',
      object: 'chat.completion',
      created: 17,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'see that',
            refusal: null,
            annotations: [{ type: 'url_citation', url_citation: { ...PAGE, start_index: 5, end_index: 7 } }],
            reasoning_content: 'hm',
            reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'sig', index: 0 }],
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' }, ...CARRIED },
              { id: 'c2', type: 'custom', custom: { name: 'p', input: 'raw' } },
            ],
          },
          logprobs: {
            content: [
              { token: 'a', logprob: -1, bytes: null, top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }] },
            ],
            refusal: null,
          },
          finish_reason: 'tool_calls',
        },
      ],
      service_tier: 'default',
      usage: {
        prompt_tokens: 6,
        completion_tokens: 9,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 1, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 5 },
        cost: 0.25,
      },
    });
  });

  test('has all fields even without content', () => {
    const empty = {
      ...RESPONSE,
      choices: [{ parts: [], finish: { reason: 'content-filter' as const, raw: 'SAFETY' } }],
    };
    expect(complete(empty)['choices']).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'content_filter',
      },
    ]);
  });

  test('encodes a refusal with text as OpenAI does', () => {
    const refusing: Choice = {
      parts: [{ type: 'refusal', text: 'no' }],
      finish: { reason: 'refusal', raw: 'refusal' },
    };
    expect(complete({ ...RESPONSE, choices: [refusing] })['choices']).toMatchObject([
      { message: { content: null, refusal: 'no' }, finish_reason: 'stop' },
    ]);
  });

  test('sends one call to a client of the older functions', () => {
    const choice = complete(RESPONSE, { ...STYLE, single: true })['choices'];
    expect(choice).toMatchObject([
      { message: { function_call: { name: 'f', arguments: '{}' } }, finish_reason: 'function_call' },
    ]);
    expect(JSON.stringify(choice)).not.toContain('tool_calls');
  });

  test.each<[string, object, object]>([
    [
      'a call after which OpenAI says stop',
      {
        choices: [
          {
            message: {
              content: null,
              tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
            },
            finish_reason: 'stop',
          },
        ],
      },
      { choices: [{ parts: [{ type: 'tool-call', id: '1' }], finish: { reason: 'tool-calls', raw: 'stop' } }] },
    ],
    [
      'calls without ids, and arguments that are an object',
      {
        choices: [
          { message: { tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }, finish_reason: 'tool_calls' },
        ],
      },
      { choices: [{ parts: [{ type: 'tool-call', id: 'call_id1', input: '{"a":1}' }] }] },
    ],
    [
      'choices out of order',
      {
        choices: [
          { index: 1, message: { content: 'b' }, finish_reason: 'stop' },
          { index: 0, message: { content: 'a' }, finish_reason: 'length' },
        ],
      },
      { choices: [{ parts: [{ text: 'a' }], finish: { reason: 'length' } }, { parts: [{ text: 'b' }] }] },
    ],
    [
      'thoughts under the other name, and images',
      {
        id: 5,
        choices: [
          {
            message: {
              content: [{ type: 'text', text: 'a' }],
              reasoning: 'hm',
              images: [{ image_url: { url: 'data:image/png;base64,AA==' } }],
            },
          },
        ],
      },
      {
        id: '',
        created: undefined,
        usage: undefined,
        choices: [
          {
            parts: [
              { type: 'reasoning', text: 'hm' },
              { type: 'text', text: 'a' },
              { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } },
            ],
            finish: { reason: 'other', raw: '' },
          },
        ],
      },
    ],
  ])('is decoded with %s', (_, body, expected) => {
    const result = decodeResponse(Buffer.from(JSON.stringify(body)), context());
    expect(result).toMatchObject({ kind: 'response', response: expected });
  });

  test('is distinguished from errors and other bodies', () => {
    const read = (body: string) => decodeResponse(Buffer.from(body), context());
    expect(read('{"error":{"message":"m"}}')).toMatchObject({ kind: 'error', error: { message: 'm' } });
    for (const body of ['', '[]', '{}', '{"choices":[]}', '{"choices":{}}', '<html>']) {
      expect(read(body).kind).toBe('malformed');
    }
  });

  test('never throws whatever an upstream sends', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue(), (message, usage) => {
        const body = JSON.stringify({ choices: [{ message, logprobs: message, finish_reason: usage }], usage });
        expect(decodeResponse(Buffer.from(body), context()).kind).toBe('response');
      }),
    );
  });
});

describe('a stream', () => {
  const bytes = written(toStreamEvents(RESPONSE));
  const all = chunks(bytes);

  test('has the shape of OpenAI’s in every chunk, and ends with the usage and [DONE]', () => {
    for (const chunk of all) {
      expect(chunk).toMatchObject({ id: 'chatcmpl-id1', object: 'chat.completion.chunk', created: 17, model: 'm' });
    }
    expect(all[0]).toMatchObject({ choices: [{ index: 0, delta: { role: 'assistant', content: null } }], usage: null });
    expect(all.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15, cost: 0.25 } });
    expect(bytes.toString().endsWith('}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  test('has the content of the buffered response, step by step', () => {
    const deltas = all.slice(0, -1).map((chunk): unknown => {
      const [choice]: { delta: unknown }[] = JSON.parse(JSON.stringify(chunk['choices']));
      return choice?.delta;
    });
    expect(deltas).toEqual([
      { role: 'assistant', content: null, refusal: null },
      { reasoning_content: 'hm', reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', text: '', signature: 'sig', index: 0 }] },
      { content: 'see ' },
      {},
      { content: 'that' },
      { annotations: [{ type: 'url_citation', url_citation: { ...PAGE, start_index: 5, end_index: 7 } }] },
      { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' }, ...CARRIED }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      { tool_calls: [{ index: 1, id: 'c2', type: 'custom', custom: { name: 'p', input: '' } }] },
      { tool_calls: [{ index: 1, custom: { input: 'raw' } }] },
      {},
    ]);
    expect(all[4]).toMatchObject({ choices: [{ logprobs: { content: [{ token: 'a' }], refusal: null } }] });
  });

  test('has the signature of a call in its first piece, since SDKs read it only there', () => {
    const opaque = { origin: 'gemini' as const, data: 'gsig' };
    const call: OutputPart = { type: 'tool-call', kind: 'function', id: 'c1', name: 'f', input: '{}', opaque };
    const answer = { ...RESPONSE, choices: [{ parts: [call], finish: { reason: 'tool-calls' as const, raw: '' } }] };
    const deltas = chunks(written(toStreamEvents(answer))).map((chunk) => JSON.stringify(chunk['choices']));
    const signed = deltas.filter((delta) => delta.includes('gsig'));
    const head = { id: 'c1', type: 'function', function: { name: 'f', arguments: '' } };
    const piece = { index: 0, ...head, extra_content: { google: { thought_signature: 'gsig' } } };
    expect(signed).toEqual([expect.stringContaining(JSON.stringify({ tool_calls: [piece] }))]);
  });

  // OpenAI's SDK for Python requires one in every piece of a call.
  test('has the function in every piece of a call, including a signature that comes late', () => {
    const opaque = { origin: 'gemini' as const, data: 'gsig' };
    const events: StreamEvent[] = [
      { type: 'start', id: 'x', created: 1 },
      { type: 'part-start', part: 0, choice: 0, head: { type: 'tool-call', kind: 'function', id: 'c1', name: 'f' } },
      { type: 'part-delta', part: 0, text: '{}' },
      { type: 'part-end', part: 0, opaque },
    ];
    const deltas = chunks(written(events)).map((chunk) => JSON.stringify(chunk['choices']));
    const wrapped = { index: 0, function: { arguments: '' }, extra_content: { google: { thought_signature: 'gsig' } } };
    expect(deltas.find((delta) => delta.includes('gsig'))).toContain(JSON.stringify({ tool_calls: [wrapped] }));
  });

  test('sends usage only if requested', () => {
    const plain = written(toStreamEvents(RESPONSE), { ...STYLE, includeUsage: false }).toString();
    expect(plain).not.toContain('usage');
    expect(plain.endsWith('"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n')).toBe(true);
  });

  test('sends one call to a client of the older functions', () => {
    const old = chunks(written(toStreamEvents(RESPONSE), { single: true, includeUsage: false }));
    const text = JSON.stringify(old);
    expect(text).toContain('"delta":{"function_call":{"name":"f","arguments":""}}');
    expect(text).toContain('"delta":{"function_call":{"arguments":"{}"}}');
    expect(text).toContain('"finish_reason":"function_call"');
    expect(text).not.toMatch(/tool_calls|raw/);
  });

  test('sends an image and audio in one event', () => {
    const image: OutputPart = { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } };
    const audio: OutputPart = { type: 'audio', mediaType: 'audio/wav', data: 'AA==' };
    const answer = { ...RESPONSE, choices: [{ parts: [image, audio], finish: { reason: 'stop' as const, raw: '' } }] };
    const picture = { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] };
    const deltas = chunks(written(toStreamEvents(answer))).map((chunk) => JSON.stringify(chunk['choices']));
    expect(deltas[1]).toContain(JSON.stringify(picture).slice(1, -1));
    expect(deltas[2]).toContain('"data":"AA=="');
    expect(complete(answer)['choices']).toMatchObject([{ message: { ...picture, audio: { data: 'AA==' } } }]);
  });
});

const EXPRESSIBLE: ResponseSwitches = { flat: true };

describe('an encoded request decodes to the same, except for what the protocol cannot express', () => {
  test('in a buffered response', () => {
    fc.assert(
      fc.property(response(EXPRESSIBLE), (answer) => {
        const result = decodeResponse(Buffer.from(JSON.stringify(complete(answer))), context());
        if (result.kind !== 'response') throw new Error(result.kind);
        const { choices, usage } = result.response;
        expect(usage).toEqual(expressibleUsage(final(answer.usage).usage));
        expect(choices.map(restored)).toEqual(answer.choices.map(expressibleBuffered));
      }),
    );
  });

  test('in a stream', () => {
    fc.assert(
      fc.property(stream(EXPRESSIBLE), (events) => {
        const said = collectResponse(events);
        const got = decoded(parse(written(events)));
        checkStream(got);
        const { choices, usage } = collectResponse(got);
        expect(usage).toEqual(expressibleUsage(final(said.usage).usage));
        expect(choices.map(restored)).toEqual(said.choices.map(expressible));
      }),
    );
  });
});

/** With the signatures of texts on the texts, as in the next turn. */
function restored(choice: Choice): Choice {
  return { ...choice, parts: restoreParts(choice.parts) };
}
