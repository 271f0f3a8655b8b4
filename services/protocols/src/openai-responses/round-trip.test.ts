import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  request as anyRequest,
  response as anyResponse,
  stream as anyStream,
  type PartSwitches,
  type RequestSwitches,
} from '../../testing/canonical/arbitrary.ts';
import { checkStream } from '../../testing/canonical/check-stream.ts';
import { effortOf } from '../canonical/effort.ts';
import type { Message } from '../canonical/message.ts';
import type { InputPart, OutputPart } from '../canonical/part.ts';
import type { CanonicalRequest, FieldName, Reasoning } from '../canonical/request.ts';
import type { CanonicalResponse, FinishReason } from '../canonical/response.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import { type Usage, usageOf } from '../canonical/usage.ts';
import type { FinalUsage, ResponseContext, StreamDecoder } from '../interface/protocol.ts';
import { runToEnd } from '../lists/stages.ts';
import { Diagnostics } from '../request/diagnostics.ts';
import { SseParser } from '../sse/parse.ts';
import { openaiResponses } from './index.ts';

let ids = 0;
const newId = () => `${ids++}`.padStart(24, '0');
const CONTEXT: ResponseContext = { model: 'alias', created: 1_700_000_000, newId, costOf: () => '0' };
const { upstream } = openaiResponses;

function client() {
  const body = Buffer.from(JSON.stringify({ model: 'm', input: 'hi', stream: true }));
  const result = runToEnd(openaiResponses.parseRequest(body, { model: '', stream: 'none' }));
  if (!result.ok) throw new Error(result.error.message);
  return result.request;
}

/** The same value without members that are undefined, and without places. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'at' ? undefined : inner)));
}

/** A signature of this protocol, as its decoder returns it. */
function ownSignature<T extends OutputPart>(part: T): T {
  if (part.type !== 'reasoning' || part.opaque === undefined || part.opaque.origin !== 'openai-responses') return part;
  return { ...part, opaque: { ...part.opaque, data: JSON.stringify({ encrypted_content: part.opaque.data }) } };
}

/** An empty range is dropped. */
function citedPages(part: OutputPart): OutputPart {
  if (part.type !== 'text' || part.citations === undefined) return part;
  const citations = part.citations.map((citation) => {
    const { textRange, ...page } = citation;
    return textRange !== undefined && textRange.end > textRange.start ? citation : page;
  });
  return { ...part, citations };
}

describe('a request', () => {
  const FIELDS: readonly FieldName[] = [
    'toolChoice',
    'parallelToolCalls',
    'maxOutputTokens',
    'responseFormat',
    'verbosity',
    'temperature',
    'topP',
    'logprobs',
    'reasoning',
    'cacheKey',
    'cacheRetention',
    'metadata',
    'userId',
    'truncation',
  ];
  const REQUEST_SWITCHES: RequestSwitches = {
    fields: FIELDS,
    media: ['image-url', 'image-data', 'file-url', 'file-data'],
    participantNames: false,
    cacheHints: false,
    fileFacts: false,
    origins: ['openai-responses'],
    opaqueParts: false,
    unsignedReasoning: false,
    outputMedia: false,
    resultErrors: false,
    strict: false,
  };
  // The instruction to use JSON that OpenAI requires is not decoded.
  const requests = anyRequest(REQUEST_SWITCHES)
    .filter(({ responseFormat }) => responseFormat?.type !== 'json')
    // OpenAI rejects reasoning without output after it.
    .filter(({ messages }) => messages.every(({ parts }) => parts.at(-1)?.type !== 'reasoning'));

  test('comes back unchanged, except for the protocol’s defaults', () => {
    fc.assert(
      fc.property(requests, (given) => {
        const request = { ...given, messages: given.messages.map(wrapped) };
        const diagnostics = new Diagnostics();
        const target = { upstreamModel: 'm', outputTokens: undefined, isStream: false, maxOutputTokens: 1_000 };
        const body = runToEnd(upstream.encodeRequest(request, target, diagnostics));
        expect(diagnostics.errors).toEqual([]);
        expect(diagnostics.warnings).toEqual([]);
        const result = runToEnd(
          openaiResponses.parseRequest(Buffer.from(JSON.stringify(body)), { model: '', stream: 'none' }),
        );
        if (!result.ok) throw new Error(result.error.message);
        expect(result.request.policy).toMatchObject({ errors: [], warnings: [] });
        const canonical = runToEnd(result.request.canonical());
        if (!canonical.ok) throw new Error(canonical.error.message);
        expect(canonical.warnings).toEqual([]);
        expect({ ...Object(plain(canonical.request)), names: {} }).toEqual(plain(withDefaults(request)));
      }),
    );
  });

  function wrapped(message: Message): Message {
    return message.role === 'assistant' ? { ...message, parts: message.parts.map(ownSignature) } : message;
  }

  function withDefaults(request: CanonicalRequest): CanonicalRequest {
    const { reasoning, ...rest } = request;
    const amount = reasoning === undefined ? undefined : amountOf(reasoning);
    return {
      ...rest,
      names: {},
      ...(amount !== undefined && { reasoning: amount }),
      messages: request.messages.map((message): Message => {
        if (message.role === 'user') return { ...message, parts: message.parts.map(inputDefaults) };
        if (message.role === 'assistant') return { ...message, parts: message.parts.map(citedPages) };
        if (message.role !== 'tool') return message;
        const parts = message.parts.map((part) => ({ ...part, parts: part.parts.map(inputDefaults) }));
        return { ...message, parts };
      }),
      tools: request.tools.map((tool) =>
        tool.type === 'custom'
          ? tool
          : {
              ...tool,
              strict: tool.strict ?? false,
              parameters: tool.parameters ?? { type: 'object', properties: {} },
            },
      ),
    };
  }

  function amountOf({ effort, budgetTokens, show }: Reasoning): Reasoning | undefined {
    const amount = effort ?? (budgetTokens === undefined ? undefined : effortOf(budgetTokens));
    const reported = show === 'none' ? undefined : show;
    if (amount === undefined && reported === undefined) return undefined;
    return { ...(amount !== undefined && { effort: amount }), ...(reported !== undefined && { show: reported }) };
  }

  function inputDefaults(part: InputPart): InputPart {
    if (part.type === 'image') return { ...part, detail: part.detail ?? 'auto' };
    return part.type === 'file' && part.source.kind === 'data' ? { ...part, filename: 'document.pdf' } : part;
  }

  test('of any kind is encoded, or rejected by name', () => {
    fc.assert(
      fc.property(anyRequest({ placed: true }), (request) => {
        const diagnostics = new Diagnostics();
        const target = { upstreamModel: 'gpt-5.4', outputTokens: 70, isStream: true, maxOutputTokens: 1_000 };
        const body = runToEnd(upstream.encodeRequest(request, target, diagnostics));
        for (const diagnostic of [...diagnostics.errors, ...diagnostics.warnings]) expect(diagnostic.path).not.toBe('');
        expect(body).toMatchObject({ store: false, stream: true, max_output_tokens: 70 });
        if (diagnostics.errors.length > 0) return;
        const result = runToEnd(
          openaiResponses.parseRequest(Buffer.from(JSON.stringify(body)), { model: '', stream: 'none' }),
        );
        expect(result).toMatchObject({ ok: true });
      }),
    );
  });
});

const OWN_SIGNATURES: PartSwitches = { origins: ['openai-responses'], opaqueParts: false };

describe('a response', () => {
  const RESPONSE_SWITCHES = { ...OWN_SIGNATURES, maxChoices: 1, stopSequences: false } as const;
  const FINISH = { reason: 'stop', raw: '' } as const;

  test('is unchanged, except for what the protocol cannot express', () => {
    fc.assert(
      fc.property(anyResponse(RESPONSE_SWITCHES), (given) => {
        const response = withOwnSignatures(given);
        const final: FinalUsage = { usage: given.usage ?? usageOf({}), estimated: false, cost: '0.1' };
        const bytes = client().encodeResponse(response, final, CONTEXT);
        const result = upstream.decodeResponse(bytes, { newId });
        if (result.kind !== 'response') throw new Error(result.kind);
        expect(plain(comparable(result.response))).toEqual(plain(comparable(expected(response))));
        expect(result.response.usage).toEqual(merged(final.usage));
      }),
    );
  });

  test('comes back unchanged as a stream', () => {
    fc.assert(
      fc.property(anyStream({ ...RESPONSE_SWITCHES, outputMedia: false, logprobs: false }), (given) => {
        const events = given.map(withOwnSignature);
        const usage = usageOf({ input: 3, output: 4 });
        const encoder = client().streamEncoder(CONTEXT);
        const bytes = Buffer.concat([
          ...events.flatMap((event) => encoder.push([event]) ?? []),
          encoder.close({ usage, estimated: false, cost: '0.1' }),
        ]);
        const decoded = decode(bytes, upstream.streamDecoder({ newId }));
        checkStream(decoded);
        const response = collectResponse(decoded);
        expect(plain(comparable(withoutIds(response)))).toEqual(plain(comparable(expected(collectResponse(events)))));
        expect(response.usage).toEqual(usage);
      }),
    );
  });

  function decode(bytes: Buffer, decoder: StreamDecoder): StreamEvent[] {
    const { events } = new SseParser({ maxEventBytes: 10_000_000 }).push(bytes);
    return events.flatMap((event) => {
      const step = decoder.push(event);
      if (step.kind !== 'events' && step.kind !== 'end') throw new Error(step.kind);
      return [...step.events];
    });
  }

  function withOwnSignatures(response: CanonicalResponse): CanonicalResponse {
    return {
      ...response,
      choices: response.choices.map((choice) => ({ ...choice, parts: choice.parts.map(ownSignature) })),
    };
  }

  function withOwnSignature(event: StreamEvent): StreamEvent {
    if (event.type !== 'part-end' || event.opaque === undefined) return event;
    return { ...event, opaque: { ...event.opaque, data: JSON.stringify({ encrypted_content: event.opaque.data }) } };
  }

  /** Signatures come with the ids of their items, which are generated by the encoder. */
  function comparable(response: CanonicalResponse) {
    return response.choices.map(({ parts, finish, logprobs }) => ({
      finish: finish.reason,
      parts: parts.map((part) => {
        if (part.type !== 'reasoning' || part.opaque === undefined) return part;
        const { encrypted_content } = JSON.parse(part.opaque.data);
        return { ...part, opaque: { ...part.opaque, data: encrypted_content } };
      }),
      logprobs,
    }));
  }

  function withoutIds(response: CanonicalResponse): CanonicalResponse {
    return response;
  }

  function expected(response: CanonicalResponse): CanonicalResponse {
    const [choice] = response.choices;
    if (choice === undefined) throw new Error('no choice');
    const parts = choice.parts.filter(({ type }) => type !== 'audio').map(citedPages);
    const hasText = parts.some(({ type }) => type === 'text');
    const { logprobs, ...rest } = choice;
    const finish = { ...FINISH, reason: reasonBack(choice.finish.reason, parts) };
    return {
      ...response,
      choices: [{ ...rest, parts, finish, ...(hasText && logprobs !== undefined && { logprobs }) }],
    };
  }

  function reasonBack(reason: FinishReason, parts: readonly OutputPart[]): FinishReason {
    if (reason === 'length' || reason === 'context') return 'length';
    if (reason === 'content-filter' || reason === 'refusal') return 'content-filter';
    if (parts.some(({ type }) => type === 'tool-call')) return 'tool-calls';
    return parts.some(({ type }) => type === 'refusal') ? 'refusal' : 'stop';
  }

  function merged(usage: Usage): Usage {
    const { cache_write_5m: short, cache_write_1h: long } = usage;
    return { ...usage, cache_write_5m: short + long, cache_write_1h: 0 };
  }
});
