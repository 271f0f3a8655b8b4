import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stream as anyStream, type ResponseSwitches, response } from '../../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../../testing/canonical/check-stream.ts';
import { toStreamEvents } from '../../../testing/canonical/to-stream-events.ts';
import { clientRequest } from '../../../testing/gemini/round-trip.ts';
import type { OutputPart } from '../../canonical/part.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import { collectResponse } from '../../canonical/response-collector.ts';
import { usageOf } from '../../canonical/usage.ts';
import type { FinalUsage, ResponseContext } from '../../interface/protocol.ts';
import { SseParser } from '../../sse/parse.ts';
import { decodeResponse } from '../upstream/decode-response.ts';
import { GeminiStreamDecoder } from '../upstream/decode-stream.ts';

const CONTEXT: ResponseContext = { model: 'alias', created: 1, newId: () => 'n1', costOf: () => '0' };
const FINAL: FinalUsage = {
  usage: usageOf({ input: 5, cache_read: 2, output: 3, reasoning: 4 }),
  estimated: false,
  cost: '0.00012',
};
const BODY = { contents: [{ parts: [{ text: 'hi' }] }] };
const UNSET =
  '"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":14,"cachedContentTokenCount":2,"thoughtsTokenCount":4,"cost":0.00012}';

/** What this protocol distinguishes. */
const EXPRESSIBLE: ResponseSwitches = {
  customTools: false,
  refusals: false,
  reasoningForms: ['summary'],
  unsignedReasoning: false,
  silentReasoning: false,
  outputMedia: false,
  invalidInputs: false,
  stopSequences: false,
  citations: false,
  logprobs: false,
  finishReasons: ['stop', 'length', 'content-filter', 'malformed-call', 'other'],
};

const request = (form: 'none' | 'sse' | 'json-array' = 'sse') => clientRequest(BODY, form);

function encode(answer: CanonicalResponse): Buffer {
  return request('none').encodeResponse(answer, FINAL, CONTEXT);
}

/** Normal form: Google does not separate texts, has no finish reason for calls, and gets generated ids and usage. */
function reported(answer: CanonicalResponse): unknown {
  return {
    id: 'resp_n1',
    created: undefined,
    usage: FINAL.usage,
    choices: answer.choices.map(({ parts, finish }) => ({
      parts: joined(parts),
      finish: {
        reason:
          finish.reason === 'stop' && parts.some((part) => part.type === 'tool-call') ? 'tool-calls' : finish.reason,
      },
    })),
  };
}

function joined(parts: readonly OutputPart[]): OutputPart[] {
  const list: OutputPart[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    if (part.type === 'text' && last?.type === 'text' && last.opaque === undefined)
      list[list.length - 1] = { ...part, text: last.text + part.text };
    else list.push(part.type === 'tool-call' ? { ...part, input: JSON.stringify(JSON.parse(part.input)) } : part);
  }
  return list;
}

function withoutRaw(answer: CanonicalResponse): unknown {
  const choices = answer.choices.map(({ parts, finish }) => ({ parts, finish: { reason: finish.reason } }));
  return { ...answer, choices };
}

function decodeStream(bytes: Buffer) {
  const decoder = new GeminiStreamDecoder(CONTEXT);
  const parser = new SseParser({ maxEventBytes: 1_000_000 });
  const steps = [...parser.push(bytes).events.map((event) => decoder.push(event)), decoder.eof()];
  expect(steps.at(-1)?.kind).toBe('end');
  return steps.flatMap((step) => ('events' in step ? step.events : []));
}

describe('buffered responses', () => {
  test('decode to the same messages if the protocol can express them', () => {
    fc.assert(
      fc.property(response(EXPRESSIBLE), (answer) => {
        const read = decodeResponse(encode(answer), CONTEXT);
        expect(read.kind === 'response' && withoutRaw(read.response)).toEqual(reported(answer));
      }),
    );
  });

  test('have all fields', () => {
    const answer: CanonicalResponse = {
      id: 'x',
      created: 3,
      usage: undefined,
      choices: [
        {
          parts: [
            { type: 'reasoning', form: 'full', text: 'hm', opaque: { origin: 'anthropic-messages', data: 'EqQ=' } },
            {
              type: 'text',
              text: 'Grüße',
              citations: [{ url: 'https://a', title: 'A', textRange: { start: 2, end: 5 } }, { quote: 'nowhere' }],
            },
            { type: 'refusal', text: 'no' },
            { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{"a":1.0}' },
            { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AA==' } },
          ],
          finish: { reason: 'tool-calls', raw: 'x' },
          logprobs: [{ token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2 }] }],
        },
        { parts: [], finish: { reason: 'refusal', raw: 'x' } },
      ],
    };
    const text = encode(answer).toString();
    expect(text).toContain(UNSET);
    expect(text).toContain('"args":{"a":1.0}');
    expect(JSON.parse(text)).toMatchObject({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { thought: true, text: 'hm', thoughtSignature: expect.stringMatching(/^dGcxLmFudGhyb3BpYy1tZXNzYWdlcy/) },
              { text: 'Grüße' },
              { text: 'no' },
              { functionCall: { id: 'c', name: 'f', args: { a: 1 } } },
              { inlineData: { mimeType: 'image/png', data: 'AA==' } },
            ],
          },
          finishReason: 'STOP',
          index: 0,
          citationMetadata: { citationSources: [{ startIndex: 2, endIndex: 7, uri: 'https://a', title: 'A' }] },
          avgLogprobs: -1,
          logprobsResult: {
            chosenCandidates: [{ token: 'a', logProbability: -1 }],
            topCandidates: [{ candidates: [{ token: 'b', logProbability: -2 }] }],
          },
        },
        { content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'SAFETY', index: 1 },
      ],
      modelVersion: 'alias',
      responseId: 'resp_n1',
    });
  });
});

describe('streams', () => {
  test('decode to the same messages if the protocol can express them', () => {
    fc.assert(
      fc.property(anyStream(EXPRESSIBLE), (events) => {
        const encoder = request().streamEncoder(CONTEXT);
        const bytes = events.flatMap((event) => encoder.push([event]) ?? []);
        const read = decodeStream(Buffer.concat([...bytes, encoder.close(FINAL)]));
        checkStream(read);
        expect(withoutRaw(collectResponse(read))).toEqual(reported(collectResponse(events)));
      }),
    );
  });

  test('are one-line chunks that each are a response, for any response', () => {
    fc.assert(
      fc.property(anyStream(), fc.boolean(), (events, isArray) => {
        const encoder = request(isArray ? 'json-array' : 'sse').streamEncoder(CONTEXT);
        const bytes = Buffer.concat([encoder.push(events) ?? Buffer.alloc(0), encoder.close(FINAL)]).toString();
        const chunks: unknown[] = isArray
          ? JSON.parse(bytes)
          : bytes
              .split('\n\n')
              .slice(0, -1)
              .map((line) => JSON.parse(line.replace(/^data: /, '')));
        for (const chunk of chunks) expect(chunk).toMatchObject({ modelVersion: 'alias', responseId: 'resp_n1' });
        expect(chunks.at(-1)).toMatchObject({ usageMetadata: { promptTokenCount: 7, cost: 0.00012 } });
      }),
    );
  });

  test('sends texts at once, calls complete, and ends with the usage', () => {
    const encoder = request().streamEncoder(CONTEXT);
    const [start, ...events] = toStreamEvents({
      id: 'x',
      created: undefined,
      usage: undefined,
      choices: [
        {
          parts: [
            { type: 'text', text: 'Hi', opaque: { origin: 'gemini', data: 'AAAA' } },
            { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' },
          ],
          finish: { reason: 'stop', raw: '' },
        },
      ],
    });
    expect(start && encoder.push([start])).toBeUndefined();
    const sent = events.map((event) => encoder.push([event])?.toString());
    const chunk = (part: string) =>
      `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"},"index":0}],"modelVersion":"alias","responseId":"resp_n1"}\n\n`;
    expect(sent).toEqual([
      undefined,
      chunk('{"text":"Hi"}'),
      chunk('{"text":"","thoughtSignature":"AAAA"}'),
      undefined,
      undefined,
      chunk('{"functionCall":{"id":"c","name":"f","args":{}}}'),
      undefined,
    ]);
    expect(encoder.close(FINAL).toString()).toBe(
      `data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0}],${UNSET},"modelVersion":"alias","responseId":"resp_n1"}\n\n`,
    );
  });

  test('an error is a chunk of its own, in an array that stays valid', () => {
    const error = { message: 'm', type: 'internal_error', code: 502, details: null };
    const json = {
      error: { message: 'm', type: 'internal_error', code: 502, details: null, status: 'UNAVAILABLE' },
      trace_id: 't',
    };
    expect(request().encodeStreamError(error, 't').toString()).toBe(`data: ${JSON.stringify(json)}\n\n`);
    const client = request('json-array');
    expect(JSON.parse(client.encodeStreamError(error, 't').toString())).toEqual([json]);
    const again = request('json-array');
    const begun = again.streamEncoder(CONTEXT).push([
      { type: 'start', id: '', created: undefined },
      { type: 'part-start', part: 0, choice: 0, head: { type: 'text' } },
      { type: 'part-delta', part: 0, text: 'a' },
    ]);
    expect(JSON.parse(`${begun}${again.encodeStreamError(error, 't')}`)).toMatchObject([
      { modelVersion: 'alias' },
      json,
    ]);
    expect(again.streamContentType).toContain('application/json');
    expect(again.keepAlive).toBeUndefined();
  });
});
