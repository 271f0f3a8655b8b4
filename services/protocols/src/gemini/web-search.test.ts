import { describe, expect, test } from 'vitest';
import { clientRequest } from '../../testing/gemini/round-trip.ts';
import type { HostedUses } from '../interface/hosted-tools.ts';
import type { ResponseContext, ResponseResult } from '../interface/protocol.ts';
import { SseParser } from '../sse/parse.ts';

const CONTEXT: ResponseContext = { model: 'm', created: 1, newId: () => 'a'.repeat(24), costOf: () => '0' };
const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };

function forward(tools: unknown, hostedUses: HostedUses): unknown {
  const request = clientRequest({ ...HI, tools });
  return JSON.parse(request.editRequest({ upstreamModel: 'm', outputTokens: undefined, hostedUses }).toString());
}

describe('hosted tools that are allowed', () => {
  test.each<[object, HostedUses]>([
    [{ googleSearch: {} }, { search: 3 }],
    [{ google_search: { time_range_filter: {} } }, { search: 3 }],
    [{ googleSearchRetrieval: {} }, { search: 3 }],
    [{ urlContext: {} }, { fetch: 3 }],
    [{ url_context: {} }, { fetch: 3 }],
  ])('%j passes for %j', (tool, hostedUses) => {
    const functions = { functionDeclarations: [{ name: 'f' }] };
    expect(forward([tool, functions], hostedUses)).toEqual({ ...HI, tools: [tool, functions] });
    expect(forward([tool, { codeExecution: {} }], hostedUses)).toEqual({ ...HI, tools: [tool] });
  });

  test('are told apart', () => {
    const tools = [{ googleSearch: {}, urlContext: {} }, { googleMaps: {} }];
    expect(forward(tools, { fetch: 1 })).toEqual({ ...HI, tools: [{ urlContext: {} }] });
    const { hostedTools } = clientRequest({ ...HI, tools });
    expect(hostedTools?.policy({ fetch: 1 }).warnings.map(({ path }) => path)).toEqual([
      'tools[0].googleSearch',
      'tools[1].googleMaps',
    ]);
    expect(hostedTools?.canLimit).toBe(false);
  });
});

const usageMetadata = {
  promptTokenCount: 10,
  toolUsePromptTokenCount: 90,
  candidatesTokenCount: 5,
  totalTokenCount: 105,
};
const chunk = (groundingMetadata: object | undefined, finishReason?: string) => ({
  candidates: [{ content: { parts: [{ text: 'a' }] }, ...(groundingMetadata && { groundingMetadata }), finishReason }],
  usageMetadata,
});

function billed(response: object, tools: unknown): ResponseResult {
  const request = clientRequest({ ...HI, tools });
  return request.responseTransformer(CONTEXT).transform(Buffer.from(JSON.stringify(response)));
}

describe('the searches of a response', () => {
  test.each([
    [{ webSearchQueries: ['a', 'b'] }, 2],
    [{ webSearchQueries: ['a', ''] }, 1],
    [{ webSearchQueries: ['a', 'b', 'a'] }, 2],
    [{ groundingChunks: [{ web: { uri: 'https://a.example' } }] }, 1],
    [{ retrievalMetadata: {} }, 0],
    [undefined, 0],
  ])('%j: %d', (metadata, search) => {
    const body = Buffer.from(JSON.stringify(chunk(metadata, 'STOP')));
    const result = clientRequest(HI).responseTransformer(CONTEXT).transform(body);
    expect(result).toMatchObject({ kind: 'response', usage: { input: 100, output: 5, search } });
  });

  test('are none where only fetched pages are its sources', () => {
    const candidate = {
      content: { parts: [{ text: 'a' }] },
      groundingMetadata: { groundingChunks: [{ web: { uri: 'https://a.example' } }] },
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.example' }] },
      finishReason: 'STOP',
    };
    expect(billed({ candidates: [candidate], usageMetadata }, [{ urlContext: {} }])).toMatchObject({
      usage: { input: 100, search: 0 },
      searches: 0,
    });
  });

  test('are those of the calls in its turn too, each query once', () => {
    const toolCall = { toolType: 'GOOGLE_SEARCH_WEB', id: 'a', args: { queries: ['a', 'b'] } };
    const content = { parts: [{ toolCall }, { functionCall: { name: 'f' } }] };
    const candidates = [{ content, groundingMetadata: { webSearchQueries: ['b'] }, finishReason: 'STOP' }];
    expect(billed({ candidates, usageMetadata }, [{ googleSearch: {} }])).toMatchObject({ usage: { search: 2 } });
  });

  const SEARCHED = { webSearchQueries: ['a'] };
  const PAGES = { urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://a.example' }] } };
  test.each([
    ['nothing of Google Search', [{ googleSearch: {} }], SEARCHED, {}, 10],
    ['nothing of a search without sources', [{ google_search: {} }], undefined, {}, 10],
    ['nothing of a search without pages', [{ googleSearch: {} }, { urlContext: {} }], SEARCHED, {}, 10],
    ['pages', [{ urlContext: {} }], undefined, PAGES, 100],
    ['pages with a search', [{ googleSearch: {} }, { urlContext: {} }], SEARCHED, PAGES, 100],
    ['what tools of an unknown kind found', undefined, undefined, {}, 100],
  ])('bill as input %s', (_, tools, groundingMetadata, more, input) => {
    const content = { parts: [{ text: 'a' }] };
    const candidates = [{ content, ...(groundingMetadata && { groundingMetadata }), ...more, finishReason: 'STOP' }];
    expect(billed({ candidates, usageMetadata }, tools)).toMatchObject({ usage: { input, output: 5 } });
  });

  test('stay known in a stream, whichever chunk names them', () => {
    const chunks = [chunk(undefined), chunk({ webSearchQueries: ['a', 'b'] }), chunk(undefined, 'STOP')];
    const text = chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join('');
    const transformer = clientRequest(HI).streamTransformer(CONTEXT);
    const steps = new SseParser({ maxEventBytes: 1_000_000 })
      .push(Buffer.from(text))
      .events.map((event) => transformer.push(event));
    expect(steps.map((step) => ('searches' in step ? step.searches : undefined))).toEqual([0, 2, 2]);
    expect(steps.at(-1)).toMatchObject({ usage: { search: 2 } });
  });
});
