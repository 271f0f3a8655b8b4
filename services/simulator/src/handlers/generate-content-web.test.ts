import { GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../../testing/call.ts';
import { type Simulator, startSimulator } from '../../testing/start-simulator.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ host: '127.0.0.1', port: 0, onError: (error) => expect.fail(String(error)) });
});
afterAll(() => simulator.stop(100));

const QUESTION = { role: 'user', parts: [{ text: 'News?' }] };
const SEARCH = { googleSearch: {} };
const FETCH = { urlContext: {} };
const FUNCTION = { functionDeclarations: [{ name: 'f' }] };
const COMBINED = { tools: [SEARCH, FUNCTION], toolConfig: { includeServerSideToolInvocations: true } };

async function generate(body: object, model = 'm') {
  const url = `${simulator.url}/v1beta/models/${model}:generateContent`;
  const { status, json } = await call(url, { contents: [QUESTION], ...body });
  return { status, json, candidate: at(json, 'candidates', 0), message: at(json, 'error', 'message') };
}

describe('searches of the web', () => {
  it('name their queries and sources, and count what they found beside the prompt', async () => {
    const plain = await generate({});
    const { json, candidate } = await generate({ tools: [SEARCH], simulate: { searches: 2, tokens_per_use: 500 } });
    expect(candidate).toMatchObject({
      groundingMetadata: {
        webSearchQueries: ['simulated query 1', 'simulated query 2'],
        groundingChunks: [{ web: { uri: 'https://search.example/1' } }],
        groundingSupports: [{ groundingChunkIndices: [0] }],
      },
    });
    expect(candidate).not.toHaveProperty('urlContextMetadata');
    const prompt = Number(at(plain.json, 'usageMetadata', 'promptTokenCount'));
    const { usageMetadata } = json as { usageMetadata: Record<string, number> };
    expect(usageMetadata).toMatchObject({ promptTokenCount: prompt, toolUsePromptTokenCount: 1_000 });
    expect(usageMetadata['totalTokenCount']).toBe(prompt + 1_000 + Number(usageMetadata['candidatesTokenCount']));
  });

  it('are distinguished from fetched pages, which have sources without queries', async () => {
    const { candidate } = await generate({ tools: [FETCH] });
    expect(candidate).toMatchObject({
      urlContextMetadata: {
        urlMetadata: [{ retrievedUrl: 'https://fetch.example/1', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' }],
      },
      groundingMetadata: { groundingChunks: [{ web: { uri: 'https://fetch.example/1' } }] },
    });
    expect(at(candidate, 'groundingMetadata')).not.toHaveProperty('webSearchQueries');
  });

  it('beside functions are parts of the turn, which come back', async () => {
    const { candidate } = await generate({ ...COMBINED, simulate: { searches: 1 } });
    expect(at(candidate, 'content', 'parts')).toMatchObject([
      { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['simulated query 1'] } } },
      { toolResponse: { toolType: 'GOOGLE_SEARCH_WEB' } },
      { text: expect.any(String) },
    ]);
    const content = at(candidate, 'content');
    const contents = [QUESTION, content, { role: 'user', parts: [{ text: 'More?' }] }];
    expect(await generate({ ...COMBINED, contents })).toMatchObject({ status: 200 });
    const changed = JSON.parse(JSON.stringify(contents).replace(/"thoughtSignature":"../, '"thoughtSignature":"xx'));
    expect(await generate({ ...COMBINED, contents: changed })).toMatchObject({ status: 400 });
  });

  it('stream to the SDK with their metadata at the end', async () => {
    const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: simulator.url } });
    const config = { tools: [SEARCH] };
    const stream = await client.models.generateContentStream({ model: 'm', contents: 'News?', config });
    const queries: (string[] | undefined)[] = [];
    for await (const chunk of stream) queries.push(chunk.candidates?.[0]?.groundingMetadata?.webSearchQueries);
    expect(queries.filter((one) => one !== undefined)).toEqual([['simulated query 1']]);
    expect(queries.at(-1)).toBeDefined();
  });

  it.each([
    [{ tools: [{ googleSearch: { maxUses: 1 } }] }, 'm', /Unknown name "maxUses"/],
    [{ tools: [{ googleSearchRetrieval: {} }] }, 'm', /google_search_retrieval is not supported/],
    [{ tools: [SEARCH, FUNCTION] }, 'm', /include_server_side_tool_invocations/],
    [COMBINED, 'm+budget', /circulation is not enabled for models\/m\+budget/],
    [{ tools: [SEARCH], generationConfig: { responseMimeType: 'application/json' } }, 'm+budget', /mime type/],
    [
      { contents: [QUESTION, { role: 'model', parts: [{ toolCall: { id: 'a', toolType: 'URL_CONTEXT' } }] }] },
      'm',
      /id/,
    ],
  ])('%j is rejected by %s', async (body, model, message) => {
    expect(await generate(body, model)).toMatchObject({ status: 400, message: expect.stringMatching(message) });
  });
});
