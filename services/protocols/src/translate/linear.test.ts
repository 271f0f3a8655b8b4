import { describe, expect, test } from 'vitest';
import { pathParameters } from '../../testing/translate/clients.ts';
import { growthOf, type StageClock } from '../../testing/translate/cpu-growth.ts';
import { CHAT_LISTS } from '../../testing/translate/long-lists/chat.ts';
import {
  BATCH_EMBED_LISTS,
  EMBED_CONTENT_LISTS,
  OPENAI_EMBEDDINGS_LISTS,
} from '../../testing/translate/long-lists/embeddings.ts';
import { GEMINI_LISTS } from '../../testing/translate/long-lists/gemini.ts';
import type { LongLists } from '../../testing/translate/long-lists/list.ts';
import { MESSAGES_LISTS } from '../../testing/translate/long-lists/messages.ts';
import { RESPONSES_LISTS } from '../../testing/translate/long-lists/responses.ts';
import { PROTOCOL_NAMES, type ProtocolName } from '../canonical/protocol-name.ts';
import { parseBatchEmbedContents, parseEmbedContent, parseOpenaiEmbeddings } from '../embeddings/index.ts';
import { EMBEDDINGS_PROTOCOLS, type EmbeddingsResult } from '../embeddings/shared/protocol.ts';
import type { JsonRecord } from '../json/record.ts';
import { runToEnd } from '../lists/stages.ts';
import { protocolOf } from '../registry.ts';
import { translateRequest } from './request.ts';

/** Elements of a list; there, copying what was collected so far with each of them takes much longer than all else. */
const ELEMENTS = 3_000;

/** Quadratic work grows four times as its input doubles, linear work twice. */
const MOST_GROWTH = 3;

const FACTS = {
  tokensPerRequest: 4,
  tokensPerMessage: 4,
  maxTokensPerImage: 1_000,
  maxOutputTokens: 8_000,
  contextWindow: 1_000_000,
};
const DISPATCH = { upstreamModel: 'claude-sonnet-4-5', outputTokens: 1_000 };
const TARGET = { ...DISPATCH, isStream: false, maxOutputTokens: 8_000 };

const LISTS: Readonly<Record<ProtocolName, LongLists>> = {
  'openai-chat': CHAT_LISTS,
  'openai-responses': RESPONSES_LISTS,
  'anthropic-messages': MESSAGES_LISTS,
  gemini: GEMINI_LISTS,
};

/**
 * The upstreams of a list: that of its protocol and one other in turn, since the clients' lists are alike. LONG=1: all.
 */
function upstreamsOf(name: ProtocolName, list: number): readonly ProtocolName[] {
  const others = PROTOCOL_NAMES.filter((upstream) => upstream !== name);
  return PROTOCOL_NAMES.filter(
    (upstream) => process.env['LONG'] === '1' || upstream === name || upstream === others[list % others.length],
  );
}

/** All that is done with a request for these upstreams. A refusal ends it early. */
function serve(name: ProtocolName, upstreams: readonly ProtocolName[], body: Buffer, clock: StageClock): void {
  const result = runToEnd(protocolOf(name).parseRequest(body, pathParameters(false)));
  clock.lap('read');
  if (!result.ok) return;
  const { request } = result;
  request.bound(FACTS);
  clock.lap('bound');
  request.texts();
  clock.lap('texts');
  for (const upstream of upstreams) {
    if (upstream === name) request.editRequest(DISPATCH);
    else {
      const translation = translateRequest(request, protocolOf(upstream).upstream, TARGET);
      if (translation.ok) JSON.stringify(translation.json);
    }
    clock.lap(`towards ${upstream}`);
  }
}

function bytesOf(body: JsonRecord): Buffer {
  return Buffer.from(JSON.stringify(body));
}

describe.each(PROTOCOL_NAMES)('work for a request of %s is linear in', (name) => {
  const lists = Object.entries(LISTS[name]).map(([list, request], i) => ({ list, request, number: i }));
  test.each(lists)('$list', ({ request, number }) => {
    const growth = growthOf(
      (n) => {
        const body = bytesOf(request(n));
        return (clock) => serve(name, upstreamsOf(name, number), body, clock);
      },
      ELEMENTS,
      MOST_GROWTH,
    );
    expect(growth.factor, growth.stage).toBeLessThan(MOST_GROWTH);
  });
});

const EMBEDDINGS: Readonly<Record<string, [(body: Buffer) => EmbeddingsResult, LongLists]>> = {
  'openai-embeddings': [parseOpenaiEmbeddings, OPENAI_EMBEDDINGS_LISTS],
  embedContent: [(body) => parseEmbedContent(body, 'model-here'), EMBED_CONTENT_LISTS],
  batchEmbedContents: [(body) => parseBatchEmbedContents(body, 'model-here'), BATCH_EMBED_LISTS],
};

describe.each(Object.entries(EMBEDDINGS))('work for a request of %s is linear in', (_name, [read, lists]) => {
  test.each(Object.entries(lists))('%s', (_list, request) => {
    const growth = growthOf(
      (n) => {
        const body = bytesOf(request(n));
        return (clock) => {
          const result = read(body);
          clock.lap('read');
          if (!result.ok) return;
          result.request.bound(FACTS);
          clock.lap('bound');
          for (const upstream of EMBEDDINGS_PROTOCOLS) {
            result.request.upstreamRequest(upstream, 'upstream-name');
            clock.lap(`towards ${upstream}`);
          }
        };
      },
      ELEMENTS,
      MOST_GROWTH,
    );
    expect(growth.factor, growth.stage).toBeLessThan(MOST_GROWTH);
  });
});
