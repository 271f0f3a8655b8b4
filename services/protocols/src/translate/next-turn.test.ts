import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ResponseSwitches, response, stream } from '../../testing/canonical/arbitrary.ts';
import {
  clientRequest,
  eventsOf,
  finalUsage,
  MINIMAL,
  responseContext,
  streamingClient,
} from '../../testing/translate/clients.ts';
import { collectedContent, contentOf, REWRITES, type Rewrite } from '../../testing/translate/rewrites.ts';
import type { OutputPart } from '../canonical/part.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import { SKIP_VALIDATOR } from '../canonical/skip-validator.ts';
import type { StreamEvent } from '../canonical/stream.ts';
import type { ClientRequest } from '../interface/protocol.ts';
import type { JsonRecord } from '../json/record.ts';
import { isRecord } from '../json/record.ts';
import { runToEnd } from '../lists/stages.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

/** Providers that sign reasoning. */
const ORIGINS = ['openai-responses', 'anthropic-messages', 'gemini'] as const;
const CASES = REWRITES.flatMap((rewrite) =>
  // Reasoning without a name of its part cannot be put back.
  ORIGINS.filter((origin) => origin !== rewrite.client && (!rewrite.movesReasoning || origin === 'gemini')).map(
    (origin) => ({ rewrite, origin, name: rewrite.name }),
  ),
);

interface Case {
  readonly rewrite: Rewrite;
  readonly origin: ProtocolName;
}

function expressible(origin: ProtocolName): ResponseSwitches {
  return {
    maxChoices: 1,
    flat: true,
    refusals: false,
    citations: false,
    outputMedia: false,
    customTools: false,
    invalidInputs: false,
    logprobs: false,
    // Gemini signs texts and calls; its thoughts have no signature.
    unsignedReasoning: origin === 'gemini',
    finishReasons: ['stop'],
    origins: [origin],
    opaqueParts: origin === 'gemini',
  };
}

/** The next request of the client: its first turn, the response, results for all calls, and more of the user. */
function nextRequest(rewrite: Rewrite, content: readonly JsonRecord[], calls: readonly Call[]): ClientRequest {
  const { client } = rewrite;
  const first = MINIMAL[client];
  const turns = rewrite.turns(content);
  switch (client) {
    case 'openai-chat': {
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
      const messages = [{ role: 'user', content: 'Hi' }, ...turns, ...results, { role: 'user', content: 'On' }];
      return clientRequest(client, { ...first, messages });
    }
    case 'openai-responses': {
      const results = calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: 'done' }));
      const input = [{ role: 'user', content: 'Hi' }, ...turns, ...results, { role: 'user', content: 'On' }];
      return clientRequest(client, { ...first, input });
    }
    case 'anthropic-messages': {
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
      const last = { role: 'user', content: [...results, { type: 'text', text: 'On' }] };
      return clientRequest(client, { ...first, messages: [{ role: 'user', content: 'Hi' }, ...turns, last] });
    }
    case 'gemini': {
      const results = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: 'done' } } }));
      const contents = [
        { role: 'user', parts: [{ text: 'Hi' }] },
        ...turns,
        { role: 'user', parts: [...results, { text: 'On' }] },
      ];
      return clientRequest(client, { ...first, contents });
    }
    default:
      return client satisfies never;
  }
}

type Call = Extract<OutputPart, { readonly type: 'tool-call' }>;

function callsIn(parts: readonly OutputPart[]): Call[] {
  return parts.filter((part) => part.type === 'tool-call');
}

/** Each opaque value with what it is on, except for the placeholders of clients. */
function signaturesOn(parts: readonly OutputPart[]): string[] {
  return parts
    .flatMap((part) => {
      if (!('opaque' in part) || part.opaque === undefined || part.opaque.data === SKIP_VALIDATOR) return [];
      return [`${part.type === 'tool-call' ? part.id : part.type} ${part.opaque.origin} ${dataOf(part.opaque.data)}`];
    })
    .sort();
}

/** The encrypted value; responses keeps the id of the item with it. */
function dataOf(data: string): string {
  return data.startsWith('{') ? String(JSON.parse(data)['encrypted_content']) : data;
}

/** The parts whose values the client must return. */
function kept(parts: readonly OutputPart[], rewrite: Rewrite, isStream: boolean): OutputPart[] {
  const lastCall = parts.findLastIndex((part) => part.type === 'tool-call');
  return parts.filter((part, index) => {
    if (part.type === 'tool-call') return true;
    const isMessages = rewrite.client === 'anthropic-messages';
    if (part.type === 'text') {
      const before = parts[index - 1];
      const hasPlace = before?.type === 'reasoning' && before.opaque === undefined;
      return rewrite.keepsOfText && (!isMessages || (!isStream && hasPlace));
    }
    if (part.type !== 'reasoning') return false;
    if (index < lastCall) return true;
    const isLast = parts.slice(index).every((later) => later.type === 'reasoning' && later.text === '');
    return rewrite.keepsReasoning && !(isMessages && isLast);
  });
}

function assistantParts(request: ClientRequest): readonly OutputPart[] {
  const result = runToEnd(request.canonical());
  if (!result.ok) throw new Error(result.error.message);
  return result.request.messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []));
}

/** Whether some text anywhere in the value holds another. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (Array.isArray(value)) return value.some((inner) => holds(inner, text));
  return isRecord(value) && Object.values(value).some((inner) => holds(inner, text));
}

/** Checks that all that the client kept is on its part, and goes back to its provider. */
function checkTurn(
  said: readonly OutputPart[],
  next: ClientRequest,
  expected: readonly OutputPart[],
  { rewrite, origin }: Case,
) {
  expect(next.policy.errors).toEqual([]);
  const parts = assistantParts(next);
  expect(signaturesOn(parts)).toEqual(signaturesOn(expected));
  expect(callsIn(parts).map(({ id }) => id)).toEqual(callsIn(said).map(({ id }) => id));
  if (!rewrite.movesReasoning) expect(orderOfThoughts(parts)).toEqual(orderOfThoughts(expected));
  const target = { upstreamModel: 'gemini-3-pro', outputTokens: undefined, isStream: false, maxOutputTokens: 4_096 };
  const sent = translateRequest(next, protocolOf(origin).upstream, target);
  if (!sent.ok) throw new Error(sent.error.message);
  // A client's placeholder means something only to Google.
  if (origin !== 'gemini') expect(holds(sent.json, SKIP_VALIDATOR)).toBe(false);
  const last = said.findLastIndex((part) => part.type !== 'reasoning');
  for (const [index, part] of said.entries()) {
    // Providers reject reasoning without output after it, so it is not returned.
    if (index > last || !expected.includes(part) || !('opaque' in part) || part.opaque === undefined) continue;
    expect(holds(sent.json, part.opaque.data)).toBe(true);
  }
}

/** Which reasoning is before which call. */
function orderOfThoughts(parts: readonly OutputPart[]): string[] {
  return parts.flatMap((part) => {
    if (part.type === 'tool-call') return [part.id];
    return part.type === 'reasoning' && part.opaque !== undefined ? [dataOf(part.opaque.data)] : [];
  });
}

function isReturned(parts: readonly OutputPart[]): boolean {
  // SDKs do not return a response without output.
  return parts.some((part) => part.type === 'tool-call' || (part.type === 'text' && part.text.trim() !== ''));
}

describe.each(CASES)('$name ($rewrite.client) <- $origin', ({ rewrite, origin }) => {
  const { client } = rewrite;

  test('signatures of a buffered response come back on the right part', () => {
    const responses = response(expressible(origin)).filter(({ choices }) =>
      choices.every(({ parts }) => isReturned(parts)),
    );
    fc.assert(
      fc.property(responses, (said) => {
        const encoder = clientRequest(client, MINIMAL[client]);
        const bytes = encoder.encodeResponse(said, finalUsage(said.usage), responseContext());
        const parts = said.choices[0]?.parts ?? [];
        const next = nextRequest(rewrite, contentOf(client, JSON.parse(bytes.toString())), callsIn(parts));
        checkTurn(parts, next, kept(parts, rewrite, false), { rewrite, origin });
      }),
    );
  });

  test('signatures of a stream come back on the right part', () => {
    const streams: Arbitrary<StreamEvent[]> = stream(expressible(origin)).filter((events) =>
      collectResponse(events).choices.every(({ parts }) => isReturned(parts)),
    );
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 4 }), (events, batch) => {
        const said = collectResponse(events);
        const encoder = streamingClient(client).streamEncoder(responseContext());
        const pieces: Buffer[] = [];
        for (let at = 0; at < events.length; at += batch) {
          pieces.push(encoder.push(events.slice(at, at + batch)) ?? Buffer.alloc(0));
        }
        pieces.push(encoder.close(finalUsage(said.usage)));
        const parts = said.choices[0]?.parts ?? [];
        const next = nextRequest(rewrite, collectedContent(client, eventsOf(Buffer.concat(pieces))), callsIn(parts));
        checkTurn(parts, next, kept(parts, rewrite, true), { rewrite, origin });
      }),
    );
  });
});
