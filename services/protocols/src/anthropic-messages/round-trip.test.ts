import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { request, response, stream } from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import type { OutputPart } from '../canonical/part.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { inputObject } from '../canonical/tool-call.ts';
import type { Usage } from '../canonical/usage.ts';
import { usageOf } from '../canonical/usage.ts';
import type { FinalUsage, ResponseContext } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { SseParser } from '../sse/parse.ts';
import { encodeResponse } from './client/encode-response.ts';
import { MessagesStreamEncoder } from './client/encode-stream.ts';
import { anthropicMessages } from './index.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { MessagesStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

const CONTEXT: ResponseContext = { model: 'm', created: 0, newId: () => 'id', costOf: () => '0.1' };
const TARGET = { upstreamModel: 'up', outputTokens: undefined, isStream: false, maxOutputTokens: 200_000 };

/** What a messages client can receive and return: the original without the documented losses. */
const EXPRESSIBLE = {
  maxChoices: 1,
  customTools: false,
  logprobs: false,
  outputMedia: false,
  refusals: false,
  stopSequences: false,
  citations: false,
  opaqueParts: false,
  reasoningForms: ['summary'],
  origins: ['openai-responses', 'gemini', 'openai-chat'],
} as const;

/** The protocol has two lifetimes of cache writes. */
function readUsage(usage: Usage): Usage {
  return {
    ...usage,
    cache_write_5m: usage.cache_write_5m + usage.cache_write_30m,
    cache_write_30m: 0,
    cache_write_1h: usage.cache_write_1h + usage.cache_write_12h,
    cache_write_12h: 0,
  };
}

function finalOf(usage: Usage | undefined): FinalUsage {
  return { usage: usage ?? usageOf({}), estimated: false, cost: '0.25' };
}

/** The parts that a client gets: no encrypted reasoning at the end. */
function parts(answer: CanonicalResponse): readonly OutputPart[] {
  const all = answer.choices[0]?.parts ?? [];
  const end = all.findLastIndex((part) => part.type !== 'reasoning' || part.text !== '');
  return all.slice(0, end + 1);
}

/** Objects are compared in one form, also inputs that were not objects. */
function comparable(given: readonly OutputPart[]): unknown[] {
  return given.map((part) => {
    // Encrypted reasoning is neither a summary nor complete.
    if (part.type === 'reasoning' && part.text === '') return { ...part, form: undefined };
    if (part.type !== 'tool-call') return part;
    return { ...part, input: JSON.stringify(inputObject(part.input)) };
  });
}

function decodeAll(bytes: Buffer): { events: StreamEvent[]; end: boolean } {
  const decoder = new MessagesStreamDecoder({ newId: () => 'id' });
  const events: StreamEvent[] = [];
  for (const event of new SseParser({ maxEventBytes: 1_000_000 }).push(bytes).events) {
    const decoded = decoder.push(event);
    if (decoded.kind !== 'events' && decoded.kind !== 'end') throw new Error(decoded.kind);
    events.push(...decoded.events);
    if (decoded.kind === 'end') return { events, end: true };
  }
  return { events, end: false };
}

describe('answers', () => {
  test('a buffered response is decoded as it was encoded', () => {
    fc.assert(
      fc.property(response(EXPRESSIBLE), (answer) => {
        const final = finalOf(answer.usage);
        const read = decodeResponse(encodeResponse(answer, final, CONTEXT), CONTEXT);
        if (read.kind !== 'response') throw new Error(read.kind);
        expect(comparable(parts(read.response))).toEqual(comparable(parts(answer)));
        expect(read.response.usage).toEqual(readUsage(final.usage));
      }),
    );
  });

  test('a stream has the content of the buffered response', () => {
    fc.assert(
      fc.property(stream(EXPRESSIBLE), (events) => {
        const answer = collectResponse(events);
        const final = finalOf(answer.usage);
        const encoder = new MessagesStreamEncoder(CONTEXT);
        const pieces = events.map((event) => encoder.push([event]) ?? Buffer.alloc(0));
        const read = decodeAll(Buffer.concat([...pieces, encoder.close(final)]));
        expect(read.end).toBe(true);
        checkStream(read.events);
        const again = collectResponse(read.events);
        expect(comparable(parts(again))).toEqual(comparable(parts(answer)));
        expect(again.usage).toEqual(readUsage(final.usage));
        const whole = decodeResponse(encodeResponse(answer, final, CONTEXT), CONTEXT);
        expect(whole.kind === 'response' && whole.response.choices[0]?.finish).toEqual(again.choices[0]?.finish);
      }),
    );
  });

  test('any valid stream becomes one with complete blocks in sequence', () => {
    fc.assert(
      fc.property(stream(), (events) => {
        const encoder = new MessagesStreamEncoder(CONTEXT);
        const first = encoder.push(events) ?? Buffer.alloc(0);
        const bytes = Buffer.concat([first, encoder.close(finalOf(undefined))]);
        let open = -1;
        let next = 0;
        const types: string[] = [];
        for (const event of new SseParser({ maxEventBytes: 1_000_000 }).push(bytes).events) {
          const value: { type: string; index?: number } = JSON.parse(String(event.data));
          expect(value.type).toBe(event.type);
          types.push(value.type);
          if (value.type === 'content_block_start') {
            expect([open, value.index]).toEqual([-1, next]);
            open = next++;
          } else if (value.type === 'content_block_stop') {
            expect(value.index).toBe(open);
            open = -1;
          } else if (value.type === 'content_block_delta') expect(value.index).toBe(open);
        }
        expect(open).toBe(-1);
        expect([types[0], ...types.slice(-2)]).toEqual(['message_start', 'message_delta', 'message_stop']);
      }),
    );
  });
});

describe('requests', () => {
  const switches = {
    customTools: false,
    bareFunctions: false,
    developer: false,
    lateInstructions: false,
    participantNames: false,
    prefill: false,
    outputMedia: false,
    refusals: false,
    citations: false,
    imageDetail: false,
    cacheHints: false,
    opaqueParts: false,
    unsignedReasoning: false,
    silentReasoning: false,
    reasoningForms: ['summary'],
    origins: ['anthropic-messages'],
    toolChoices: ['auto', 'none', 'required', 'tool'],
    media: ['image-url', 'image-data', 'file-data', 'file-text'],
    fileFacts: false,
    fields: ['maxOutputTokens', 'topP', 'topK', 'userId', 'cache'],
  } as const;

  test('are decoded as they were encoded', () => {
    fc.assert(
      fc.property(request(switches).filter(isSentAsItIs), (given) => {
        const diagnostics = new Diagnostics();
        const body = runToEnd(encodeRequest(given, TARGET, diagnostics));
        expect(diagnostics.errors).toEqual([]);
        expect(diagnostics.warnings).toEqual([]);
        const result = runToEnd(
          anthropicMessages.parseRequest(Buffer.from(JSON.stringify(body)), { model: '', stream: 'none' }),
        );
        if (!result.ok) throw new Error(result.error.message);
        expect(result.request.policy.errors).toEqual([]);
        const canonical = runToEnd(result.request.canonical());
        if (!canonical.ok) throw new Error(canonical.error.message);
        expect(canonical.warnings).toEqual([]);
        expect(plain(canonical.request)).toEqual(plain({ maxOutputTokens: 200_000, ...given }));
      }),
      { numRuns: 50 },
    );
  });
});

/** Whether Anthropic accepts it unchanged: output follows reasoning, failures are texts, strict schemas are closed. */
function isSentAsItIs({ messages, tools }: CanonicalRequest): boolean {
  const isOpen = tools.some((tool) => {
    return tool.type === 'function' && tool.strict === true && tool.parameters?.['additionalProperties'] !== false;
  });
  return (
    !isOpen &&
    messages.every((message) => {
      if (message.role === 'assistant') return message.parts.at(-1)?.type !== 'reasoning';
      if (message.role !== 'tool') return true;
      return message.parts.every(({ isError, parts }) => !isError || parts.every((part) => part.type === 'text'));
    })
  );
}

/** Without paths, and with one form where normal form allows several. */
function plain(given: CanonicalRequest): unknown {
  const { names: _names, ...rest } = given;
  return JSON.parse(
    JSON.stringify(
      {
        ...rest,
        messages: rest.messages.filter((message) => message.role !== 'system'),
        system: rest.messages.flatMap((message) => (message.role === 'system' ? message.parts : [])),
        tools: rest.tools.map((tool) =>
          'strict' in tool && tool.strict === false ? { ...tool, strict: undefined } : tool,
        ),
      },
      (key, value: unknown) => {
        if (key === 'at') return undefined;
        return key === 'input' && typeof value === 'string' ? JSON.stringify(inputObject(value)) : value;
      },
    ),
  );
}
