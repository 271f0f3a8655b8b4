import { describe, expect, test } from 'vitest';
import { clientRequest, eventsOf, finalUsage, MINIMAL, responseContext } from '../../testing/translate/clients.ts';
import { decodeStream } from '../../testing/translate/digest.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import type { CanonicalResponse } from '../canonical/response.ts';
import type { JsonRecord } from '../json/record.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

const TARGET = { upstreamModel: 'upstream-model', outputTokens: undefined, maxOutputTokens: 4_096 };
const SCHEMA = { type: 'object', properties: {} };

/** Clients that can ask for at most one call, and the field in which they do. */
const CLIENTS: readonly (readonly [ProtocolName, string, JsonRecord])[] = [
  [
    'openai-chat',
    'parallel_tool_calls',
    { parallel_tool_calls: false, tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }] },
  ],
  [
    'openai-responses',
    'parallel_tool_calls',
    { parallel_tool_calls: false, tools: [{ type: 'function', name: 'f', parameters: SCHEMA }] },
  ],
  [
    'anthropic-messages',
    'tool_choice.disable_parallel_tool_use',
    {
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      tools: [{ name: 'f', input_schema: SCHEMA }],
    },
  ],
];

const call = (id: string, signature?: string) => ({
  functionCall: { id, name: 'f', args: { id } },
  ...(signature !== undefined && { thoughtSignature: signature }),
});

/** A response of Google with parallel calls, of which the first has the signature. */
const RESPONSE: JsonRecord = {
  responseId: 'r1',
  modelVersion: 'm',
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: [call('a', 'c2ln'), call('b'), call('c', 'bG9z')] },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 30, totalTokenCount: 35 },
};

function callIds({ choices }: CanonicalResponse): string[] {
  return choices[0]?.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])) ?? [];
}

describe.each(CLIENTS)('%s asks for at most one call with %s', (name, field, members) => {
  const translation = (isStream: boolean) => {
    const asked = isStream ? { ...members, stream: true } : members;
    const client = clientRequest(name, { ...MINIMAL[name], ...asked }, isStream);
    const result = translateRequest(client, protocolOf('gemini').upstream, { ...TARGET, isStream });
    if (!result.ok) throw new Error(result.error.message);
    return result;
  };

  test('which a provider without the setting gets with a warning', () => {
    const { json, warnings } = translation(false);
    expect(json['tools']).toHaveLength(1);
    expect(warnings.map(({ message }) => message)).toEqual([
      `${field}: not known to this provider: of several calls the first is returned, and all are charged`,
    ]);
  });

  test('and gets the first of several calls, and the usage of all', () => {
    const result = translation(false)
      .responseTransformer(responseContext())
      .transform(Buffer.from(JSON.stringify(RESPONSE)));
    if (result.kind !== 'response') throw new Error(result.kind);
    expect(result.usage?.output).toBe(30);
    // The tokenizer's count, should the provider report none, covers the calls that were held back.
    expect(result.text).toContain('{"id":"c"}');
    const bytes = result.render(finalUsage(result.usage));
    const got = protocolOf(name).upstream.decodeResponse(bytes, responseContext());
    if (got.kind !== 'response') throw new Error(got.kind);
    expect(callIds(got.response)).toEqual(['a']);
    expect(got.response.choices[0]?.finish.reason).toBe('tool-calls');
  });

  test('and gets it in a stream', () => {
    const transformer = translation(true).streamTransformer(responseContext());
    const step = transformer.push({ type: '', data: Buffer.from(JSON.stringify(RESPONSE)), raw: Buffer.alloc(0) });
    if (step.kind !== 'content') throw new Error(step.kind);
    expect(step.text).toContain('{"id":"c"}');
    const end = transformer.eof();
    if (end.kind !== 'end') throw new Error(end.kind);
    const pieces = [step.bytes, end.bytes, transformer.close(finalUsage(step.usage))].flatMap((bytes) => bytes ?? []);
    const got = decodeStream(
      protocolOf(name).upstream.streamDecoder(responseContext()),
      eventsOf(Buffer.concat(pieces)),
    );
    expect(callIds(got)).toEqual(['a']);
    expect(got.choices[0]?.finish.reason).toBe('tool-calls');
  });
});
