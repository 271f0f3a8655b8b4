import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ResponseSwitches, response } from '../../testing/canonical/arbitrary.ts';
import { clientRequest, finalUsage, MINIMAL, responseContext } from '../../testing/translate/clients.ts';
import { partsDigest } from '../../testing/translate/digest.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import { isRecord, type JsonRecord, recordOr } from '../json/record.ts';
import { runToEnd } from '../lists/stages.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

/** Providers that sign reasoning. */
const ORIGINS = ['openai-responses', 'anthropic-messages', 'gemini'] as const;
const PAIRS = PROTOCOL_NAMES.flatMap((client) => ORIGINS.map((origin) => ({ client, origin })));

function sayable(origin: ProtocolName): ResponseSwitches {
  return {
    maxChoices: 1,
    flat: true,
    refusals: false,
    citations: false,
    outputMedia: false,
    customTools: false,
    invalidInputs: false,
    logprobs: false,
    unsignedReasoning: false,
    finishReasons: ['stop'],
    origins: [origin],
    opaqueParts: origin === 'gemini',
  };
}

/** The response as the client's SDK returns it in the next turn, with a result for each call. */
function nextTurn(client: ProtocolName, answer: JsonRecord, said: CanonicalResponse): JsonRecord {
  const calls = (said.choices[0]?.parts ?? []).filter((part) => part.type === 'tool-call');
  const first = MINIMAL[client];
  switch (client) {
    case 'openai-chat': {
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'done' }));
      const message = recordOr(firstOf(answer['choices']))['message'];
      return {
        ...first,
        messages: [...listOf(first['messages']), message, ...results, { role: 'user', content: 'On' }],
      };
    }
    case 'openai-responses': {
      const results = calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: 'done' }));
      const turns = [{ role: 'user', content: 'Hi' }, ...listOf(answer['output']), ...results];
      return { ...first, input: [...turns, { role: 'user', content: 'On' }] };
    }
    case 'anthropic-messages': {
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
      const turns = [
        { role: 'assistant', content: answer['content'] },
        { role: 'user', content: [...results, { type: 'text', text: 'On' }] },
      ];
      return { ...first, messages: [...listOf(first['messages']), ...turns] };
    }
    case 'gemini': {
      const content = recordOr(firstOf(answer['candidates']))['content'];
      const results = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: 'done' } } }));
      return {
        ...first,
        contents: [...listOf(first['contents']), content, { role: 'user', parts: [...results, { text: 'On' }] }],
      };
    }
    default:
      return client satisfies never;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstOf(value: unknown): unknown {
  return listOf(value)[0];
}

function assistantParts(request: CanonicalRequest) {
  return request.messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []));
}

/** Whether some text anywhere in the value holds another. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  if (Array.isArray(value)) return value.some((inner) => holds(inner, text));
  return isRecord(value) && Object.values(value).some((inner) => holds(inner, text));
}

describe.each(PAIRS)('$client <- $origin', ({ client, origin }) => {
  test('signed output of a model comes back unchanged in the next turn', () => {
    // SDKs do not return a response without parts, and Anthropic rejects reasoning without output after it.
    const answers = response(sayable(origin)).filter(({ choices }) => {
      return choices.every(({ parts }) => {
        const last = parts.at(-1);
        return last !== undefined && (origin !== 'anthropic-messages' || last.type !== 'reasoning');
      });
    });
    fc.assert(
      fc.property(answers, (said) => {
        const bytes = clientRequest(client, MINIMAL[client]).encodeResponse(
          said,
          finalUsage(said.usage),
          responseContext(),
        );
        const next = clientRequest(client, nextTurn(client, recordOr(JSON.parse(bytes.toString())), said));
        expect(next.policy.errors).toEqual([]);
        const result = runToEnd(next.canonical());
        if (!result.ok) throw new Error(result.error.message);
        const parts = said.choices[0]?.parts ?? [];
        expect(partsDigest(assistantParts(result.request), client)).toEqual(partsDigest(parts, origin));
        const target = { upstreamModel: 'm', outputTokens: undefined, isStream: false, maxOutputTokens: 4_096 };
        const sent = translateRequest(next, protocolOf(origin).upstream, target);
        if (!sent.ok) throw new Error(sent.error.message);
        for (const part of parts) {
          if (!('opaque' in part) || part.opaque === undefined) continue;
          expect(holds(sent.json, part.opaque.data)).toBe(true);
        }
      }),
    );
  });
});
