import { describe, expect, test } from 'vitest';
import { clientRequest } from '../../testing/translate/clients.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

const TARGET = { upstreamModel: 'upstream-model', outputTokens: undefined, maxOutputTokens: 4_096, isStream: false };

function translated(mimeType: string, upstream: ProtocolName, isResult: boolean) {
  const inlineData = { mimeType, data: 'AAAA' };
  const client = clientRequest('gemini', {
    contents: [
      { role: 'user', parts: isResult ? [{ text: 'Hi' }] : [{ text: 'Hi' }, { inlineData }] },
      ...(isResult
        ? [
            { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
            { role: 'user', parts: [{ functionResponse: { name: 'f', response: {}, parts: [{ inlineData }] } }] },
          ]
        : []),
    ],
    tools: [{ functionDeclarations: [{ name: 'f' }] }],
  });
  return translateRequest(client, protocolOf(upstream).upstream, TARGET);
}

describe.each<[ProtocolName, string, string]>([
  ['anthropic-messages', 'audio/wav', 'a recording of the type audio/wav'],
  ['anthropic-messages', 'image/tiff', 'an image of the type image/tiff'],
  ['anthropic-messages', 'application/zip', 'a file of the type application/zip'],
  ['openai-responses', 'audio/wav', 'a recording of the type audio/wav'],
  ['openai-responses', 'video/mp4', 'a file of the type video/mp4'],
  ['openai-chat', 'audio/ogg', 'a recording of the type audio/ogg'],
  ['openai-chat', 'video/mp4', 'a file of the type video/mp4'],
])('%s and %s', (upstream, mimeType, name) => {
  test('are mentioned in the result of a tool', () => {
    const result = translated(mimeType, upstream, true);
    if (!result.ok) throw new Error(result.error.message);
    expect(JSON.stringify(result.json)).toContain(`(The output has ${name}, which this model cannot read.)`);
    expect(JSON.stringify(result.json)).not.toContain('AAAA');
    expect(result.warnings.map(({ path }) => path)).toContain('contents[2].parts[0]');
  });

  test('are refused in a message', () => {
    expect(translated(mimeType, upstream, false)).toMatchObject({ ok: false });
  });
});
