import { expect, test } from 'vitest';
import { clientRequest } from '../../testing/translate/clients.ts';
import { GEMINI_LISTS } from '../../testing/translate/long-lists/gemini.ts';
import { members, times } from '../../testing/translate/long-lists/list.ts';
import { collectResponse } from '../canonical/response-collector.ts';
import { parseEmbedContent } from '../embeddings/index.ts';
import { protocolOf } from '../registry.ts';
import { MAX_REQUEST_MEMBERS } from '../request/parse-json-request.ts';
import { translateRequest } from './request.ts';

// A call takes about 120,000 arguments before its stack overflows.

test('as many parts as a body can have are translated', () => {
  const body = GEMINI_LISTS['parts of the user']?.(98_000) ?? {};
  const target = { upstreamModel: 'm', outputTokens: undefined, isStream: false, maxOutputTokens: 100 };
  const upstream = protocolOf('anthropic-messages').upstream;
  const translation = translateRequest(clientRequest('gemini', body), upstream, target);
  expect(translation.ok && JSON.stringify(translation.json).length).toBeGreaterThan(98_000);
});

test('as many unknown settings as an object can have are read', () => {
  const body = { content: { parts: [{ text: 'Hi' }] }, embedContentConfig: members(MAX_REQUEST_MEMBERS, () => 1) };
  const result = parseEmbedContent(Buffer.from(JSON.stringify(body)), 'model-here');
  expect(result.ok && result.request.canonical.dropped).toHaveLength(MAX_REQUEST_MEMBERS);
});

test('collects a response with very many log probabilities', () => {
  const tokens = times(200_000, () => ({ token: 'x', logprob: -1, top: [] }));
  const { choices } = collectResponse([{ type: 'logprobs', choice: 0, tokens }]);
  expect(choices[0]?.logprobs).toHaveLength(200_000);
});
