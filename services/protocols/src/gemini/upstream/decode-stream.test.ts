import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkStream } from '../../../testing/canonical/check-stream.ts';
import { RECORDED } from '../../../testing/gemini/recorded.ts';
import { collectResponse } from '../../canonical/response-collector.ts';
import type { StreamEvent } from '../../canonical/stream.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { DecodedEvents } from '../../interface/protocol.ts';
import { SseParser } from '../../sse/parse.ts';
import { decodeResponse } from './decode-response.ts';
import { GeminiStreamDecoder } from './decode-stream.ts';

const CONTEXT = { newId: () => 'new' };

/** Decodes chunks up to the end of the body, an error, or malformed data. */
function decode(...chunks: readonly (Buffer | string)[]): { events: StreamEvent[]; last: DecodedEvents['kind'] } {
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const decoder = new GeminiStreamDecoder(CONTEXT);
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

function stream(...chunks: readonly unknown[]) {
  return decode(...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`));
}

function buffered(value: unknown) {
  return decodeResponse(Buffer.from(JSON.stringify(value)), CONTEXT);
}

const parts = (...list: unknown[]) => ({ candidates: [{ content: { parts: list, role: 'model' } }] });
const STOP = { candidates: [{ finishReason: 'STOP' }] };

test('a recorded stream has reasoning, text, calls, citations, usage and end', () => {
  const { events, last } = decode(RECORDED);
  expect(last).toBe('end');
  checkStream(events);
  expect(collectResponse(events)).toEqual({
    id: 'r-1',
    created: undefined,
    choices: [
      {
        parts: [
          { type: 'reasoning', form: 'summary', text: '**Zwölf**' },
          { type: 'text', text: 'Es ist wärmer 🙂.' },
          {
            type: 'tool-call',
            id: 'call_new',
            name: 'weather',
            kind: 'function',
            input: '{"city":"Köln"}',
            opaque: { origin: 'gemini', data: 'CiQB+/==' },
          },
          { type: 'tool-call', id: 'fc-1', name: 'time', kind: 'function', input: '{}' },
        ],
        finish: { reason: 'tool-calls', raw: 'STOP' },
      },
    ],
    usage: usageOf({ input: 8, cache_read: 4, output: 30, reasoning: 8 }),
  });
});

test('a body that ends early is an incomplete response, unless all candidates have ended', () => {
  const lastChunk = RECORDED.lastIndexOf('data: ');
  for (let at = 0; at < lastChunk; at += 7) expect(decode(RECORDED.subarray(0, at)).last).toBe('malformed');
  expect(stream({ candidates: [{ index: 0, finishReason: 'STOP' }, { index: 1 }] }).last).toBe('malformed');
  expect(
    stream({ candidates: [{ index: 0, finishReason: 'STOP' }] }, { candidates: [{ index: 1, finishReason: 'STOP' }] })
      .last,
  ).toBe('end');
});

describe('parts', () => {
  test('joins adjacent pieces of one kind, up to a signature', () => {
    const { events } = stream(
      parts({ text: 'a', thought: true }),
      parts({ text: 'b', thought: true, thoughtSignature: 'AAAA' }, { text: 'c' }),
      parts({ text: 'd' }, { text: '', thoughtSignature: 'BBBB' }),
      parts({ text: 'e' }),
      STOP,
    );
    checkStream(events);
    expect(collectResponse(events).choices[0]?.parts).toEqual([
      { type: 'reasoning', form: 'summary', text: 'ab', opaque: { origin: 'gemini', data: 'AAAA' } },
      { type: 'text', text: 'cd', opaque: { origin: 'gemini', data: 'BBBB' } },
      { type: 'text', text: 'e' },
    ]);
  });

  test('images and audio are complete; parts of Google’s tools are dropped', () => {
    const { events } = stream(
      parts(
        { inlineData: { mimeType: 'image/png', data: 'AA==' } },
        { inlineData: { mimeType: 'audio/L16;rate=24000', data: 'AA==' } },
        { executableCode: { code: '1' } },
        { codeExecutionResult: { output: '1' } },
      ),
      STOP,
    );
    expect(collectResponse(events).choices[0]?.parts).toEqual([
      { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } },
      { type: 'audio', mediaType: 'audio/l16;rate=24000', data: 'AA==' },
    ]);
  });

  test('separates interleaved candidates', () => {
    const of = (index: number, text: string, finishReason?: string) => ({
      candidates: [{ index, content: { parts: [{ text }] }, finishReason }],
    });
    const { events, last } = stream(of(0, 'a'), of(1, 'x'), of(0, 'b', 'STOP'), of(1, 'y', 'MAX_TOKENS'));
    expect(last).toBe('end');
    checkStream(events);
    expect(collectResponse(events).choices).toEqual([
      { parts: [{ type: 'text', text: 'ab' }], finish: { reason: 'stop', raw: 'STOP' } },
      { parts: [{ type: 'text', text: 'xy' }], finish: { reason: 'length', raw: 'MAX_TOKENS' } },
    ]);
  });

  test('sources are sent once, with the range of the text in characters', () => {
    const metadata = {
      groundingChunks: [{ web: { uri: 'https://a', title: 'A' } }, { web: { uri: 'https://b' } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 8 }, groundingChunkIndices: [0] }],
    };
    const chunk = { candidates: [{ groundingMetadata: metadata }] };
    const { events } = stream(parts({ text: 'Ü. Hello' }), chunk, chunk, STOP);
    expect(collectResponse(events).choices[0]?.parts).toEqual([
      {
        type: 'text',
        text: 'Ü. Hello',
        citations: [{ url: 'https://a', title: 'A', textRange: { start: 2, end: 7 } }, { url: 'https://b' }],
      },
    ]);
  });

  test('log probabilities', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'a', tokenId: 1, logProbability: -0.5 }, { token: 'b' }],
      topCandidates: [
        {
          candidates: [
            { token: 'a', logProbability: -0.5 },
            { token: 'c', logProbability: -1.0 },
          ],
        },
      ],
    };
    const answer = buffered({ candidates: [{ finishReason: 'STOP', logprobsResult }] });
    expect(answer).toMatchObject({
      response: {
        choices: [
          {
            logprobs: [
              {
                token: 'a',
                logprob: -0.5,
                top: [
                  { token: 'a', logprob: -0.5 },
                  { token: 'c', logprob: -1 },
                ],
              },
              { token: 'b', logprob: 0, top: [] },
            ],
          },
        ],
      },
    });
  });

  test('log probabilities of a chunk without text belong to the text before', () => {
    const logprobsResult = { chosenCandidates: [{ token: 'a', logProbability: -1 }] };
    const thought = { parts: [{ text: 'Hm', thought: true }] };
    const { events } = stream(parts({ text: 'a' }), { candidates: [{ content: thought, logprobsResult }] }, STOP);
    expect(events.map(({ type }) => type).slice(0, 6)).toEqual([
      'start',
      'part-start',
      'part-delta',
      'logprobs',
      'part-end',
      'part-start',
    ]);
  });

  test('log probabilities are sent while their text is open', () => {
    const logprobsResult = { chosenCandidates: [{ token: 'a', logProbability: -1 }] };
    const content = { parts: [{ text: 'a', thoughtSignature: 'AAAA' }, { functionCall: { name: 'f' } }] };
    const { events } = stream({ candidates: [{ content, logprobsResult, finishReason: 'STOP' }] });
    expect(events.map((event) => event.type).slice(0, 5)).toEqual([
      'start',
      'part-start',
      'part-delta',
      'logprobs',
      'part-end',
    ]);
  });

  test('numbers of an input keep their digits', () => {
    const text =
      '{"candidates":[{"index":0,"content":{"parts":[{"functionCall":{"name":"f","args":{"a":1.0,"b":12345678901234567890}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3.0}}';
    expect(decodeResponse(Buffer.from(text), CONTEXT)).toMatchObject({
      response: {
        choices: [{ parts: [{ input: '{"a":1.0,"b":12345678901234567890}' }] }],
        usage: usageOf({ input: 3 }),
      },
    });
  });
});

describe('stop sequences', () => {
  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content-filter'],
    ['RECITATION', 'content-filter'],
    ['BLOCKLIST', 'content-filter'],
    ['PROHIBITED_CONTENT', 'content-filter'],
    ['SPII', 'content-filter'],
    ['LANGUAGE', 'other'],
    ['OTHER', 'other'],
    ['MALFORMED_FUNCTION_CALL', 'malformed-call'],
    ['UNEXPECTED_TOOL_CALL', 'malformed-call'],
    ['TOO_MANY_TOOL_CALLS', 'malformed-call'],
    ['CONTINUATION', 'pause'],
    ['SOMETHING_NEW', 'other'],
  ])('%s is %s', (raw, reason) => {
    expect(buffered({ candidates: [{ finishReason: raw }] })).toMatchObject({
      response: { choices: [{ parts: [], finish: { reason, raw } }] },
    });
  });

  test('a prompt that was refused', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } };
    const { events, last } = stream(blocked);
    expect(last).toBe('end');
    checkStream(events);
    expect(buffered(blocked)).toEqual({ kind: 'response', response: collectResponse(events) });
    expect(collectResponse(events).choices).toEqual([
      { parts: [], finish: { reason: 'content-filter', raw: 'SAFETY' } },
    ]);
  });

  test('an error in an event, or with a success status', () => {
    const error = { error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED' } };
    expect(stream(error).last).toBe('error');
    expect(buffered(error)).toEqual({
      kind: 'error',
      error: { message: 'm', type: 'RESOURCE_EXHAUSTED', code: '429', param: '' },
    });
  });

  test.each([{}, { candidates: [] }, { candidates: 5 }, [], 'x', { usageMetadata: {} }])(
    '%j is no response',
    (value) => {
      expect(buffered(value).kind).toBe('malformed');
    },
  );
});

test('buffered responses have their time, and unknown usage is not zero', () => {
  expect(buffered({ ...parts({ text: 'a' }), createTime: '2026-01-01T00:00:01.5Z', responseId: 'r' })).toEqual({
    kind: 'response',
    response: {
      id: 'r',
      created: 1_767_225_601,
      choices: [{ parts: [{ type: 'text', text: 'a' }], finish: { reason: 'other', raw: '' } }],
      usage: undefined,
    },
  });
});

test('the stream is always valid', () => {
  const any = fc.jsonValue({ maxDepth: 1 });
  const part = fc.record(
    {
      text: fc.oneof(fc.string(), any),
      thought: fc.oneof(fc.boolean(), any),
      thoughtSignature: fc.oneof(fc.string(), any),
      functionCall: fc.oneof(fc.record({ name: fc.string(), args: any }), any),
      inlineData: fc.oneof(fc.record({ mimeType: fc.string(), data: fc.string() }), any),
    },
    { requiredKeys: [] },
  );
  const candidate = fc.record(
    {
      index: fc.oneof(fc.nat(2), any),
      content: fc.oneof(fc.record({ parts: fc.array(part, { maxLength: 3 }) }), any),
      finishReason: fc.oneof(fc.constantFrom('STOP', 'OTHER'), any),
      citationMetadata: any,
      groundingMetadata: any,
      logprobsResult: any,
    },
    { requiredKeys: [] },
  );
  const chunk = fc.record(
    { candidates: fc.array(candidate, { maxLength: 2 }), usageMetadata: any, promptFeedback: any },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(fc.oneof({ arbitrary: chunk, weight: 5 }, any), { maxLength: 4 }), (chunks) => {
      const { events, last } = stream(...chunks);
      if (events.length > 0) checkStream(events, last === 'end');
      for (const one of chunks) decodeResponse(Buffer.from(JSON.stringify(one)), CONTEXT);
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void decode(Buffer.from(bytes))));
});

describe('arguments that Vertex AI streams', () => {
  const call = (functionCall: object, more: object = {}) => parts({ functionCall, ...more });
  const piece = (jsonPath: string, value: object, continues: boolean) =>
    call({ partialArgs: [{ jsonPath, ...value, willContinue: continues }], willContinue: true });

  test('become one call each', () => {
    const { events, last } = stream(
      call({ name: 'weather', id: 'a', willContinue: true }, { thoughtSignature: 'AAAA' }),
      piece('$.city', { stringValue: 'New ' }, true),
      piece('$.city', { stringValue: 'Delhi' }, false),
      piece('$.days', { numberValue: 3 }, false),
      call({}),
      call({ name: 'time', willContinue: true }),
      call({ partialArgs: [{ jsonPath: '$.zones[0]', stringValue: 'IST' }] }),
      STOP,
    );
    expect(last).toBe('end');
    checkStream(events);
    expect(collectResponse(events).choices).toMatchObject([
      {
        parts: [
          {
            id: 'a',
            name: 'weather',
            input: '{"city":"New Delhi","days":3}',
            opaque: { origin: 'gemini', data: 'AAAA' },
          },
          { id: 'call_new', name: 'time', input: '{"zones":["IST"]}' },
        ],
        finish: { reason: 'tool-calls' },
      },
    ]);
  });

  test('end with the text, the call or the response that follows', () => {
    const open = [call({ name: 'f', willContinue: true }), piece('$.a', { boolValue: true }, true)];
    for (const next of [parts({ text: 'done' }), call({ name: 'g', args: {} }), STOP]) {
      const { events, last } = stream(...open, next, STOP);
      expect(last).toBe('end');
      checkStream(events);
      expect(collectResponse(events).choices[0]?.parts[0]).toMatchObject({ name: 'f', input: '{"a":true}' });
    }
  });

  test('that cannot be assembled are malformed', () => {
    expect(stream(piece('$.a', { stringValue: 'x' }, true)).last).toBe('malformed');
    expect(stream(call({ name: 'f', willContinue: true }), piece('a', { stringValue: 'x' }, true)).last).toBe(
      'malformed',
    );
  });

  test('keep all digits of their numbers', () => {
    const { events } = decode(
      'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true}}]}}]}\n\n',
      'data: {"candidates":[{"content":{"parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.n","numberValue":1.50}]}}]},"finishReason":"STOP"}]}\n\n',
    );
    expect(collectResponse(events).choices[0]?.parts).toMatchObject([{ input: '{"n":1.50}' }]);
  });
});
