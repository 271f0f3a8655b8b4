import { describe, expect, test } from 'vitest';
import { clientRequest, finalUsage, MINIMAL, responseContext } from '../../testing/translate/clients.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

const TARGET = { upstreamModel: 'upstream-model', outputTokens: undefined, maxOutputTokens: 4_096, isStream: false };

/** A name that no provider accepts: by its length, its dot or its first character. */
const NAME = `2nd.calendar.${'x'.repeat(100)}`;

const PATTERNS: Readonly<Record<ProtocolName, RegExp>> = {
  'openai-chat': /^[a-zA-Z0-9_-]{1,64}$/,
  'openai-responses': /^[a-zA-Z0-9_-]{1,64}$/,
  'anthropic-messages': /^[a-zA-Z0-9_-]{1,128}$/,
  gemini: /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/,
};

describe.each(PROTOCOL_NAMES.filter((name) => name !== 'openai-chat'))('a tool of any name for %s', (upstream) => {
  test('is sent under an accepted name, and called under its own', () => {
    const client = clientRequest('openai-chat', {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: NAME, arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      ],
      tools: [{ type: 'function', function: { name: NAME, parameters: { type: 'object', properties: {} } } }],
    });
    const result = translateRequest(client, protocolOf(upstream).upstream, TARGET);
    if (!result.ok) throw new Error(result.error.message);
    const sent = JSON.stringify(result.json);
    const names = [...sent.matchAll(/"name":"([^"]+)"/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThanOrEqual(2);
    expect(new Set(names).size).toBe(1);
    expect(names[0]).toMatch(PATTERNS[upstream]);
    expect(result.warnings.map(({ path }) => path)).toEqual(['tools[0]']);

    const response = clientRequest(upstream, MINIMAL[upstream]).encodeResponse(
      {
        id: 'r',
        created: 1,
        usage: undefined,
        choices: [
          {
            parts: [{ type: 'tool-call', id: 'c2', name: names[0] ?? '', kind: 'function', input: '{}' }],
            finish: { reason: 'tool-calls', raw: '' },
          },
        ],
      },
      finalUsage(undefined),
      responseContext(),
    );
    const read = result.responseTransformer(responseContext()).transform(response);
    if (read.kind !== 'response') throw new Error(read.kind);
    const bytes = read.render(finalUsage(undefined)).toString();
    expect(JSON.parse(bytes).choices[0].message.tool_calls[0].function.name).toBe(NAME);
  });
});
