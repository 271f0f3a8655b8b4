import { GoogleGenAI } from '@google/genai';
import { allRecords, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';
import { bill, DOLLAR, type WebSearchCalls, webSearchCalls } from './support/web-search.ts';

const SEARCH = { googleSearch: {} };
const FETCH = { urlContext: {} };
const FUNCTION = { functionDeclarations: [{ name: 'f' }] };
const COMBINED = { tools: [SEARCH, FUNCTION], toolConfig: { includeServerSideToolInvocations: true } };
const QUESTION = { role: 'user', parts: [{ text: 'What is new?' }] };
const SETTLED = { timeout: 30_000, interval: 50 };

let gateway: Gateway;
let calls: WebSearchCalls;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  calls = await webSearchCalls(gateway);
});

describe('Gemini', () => {
  const asking = (controls: object, members: object = {}) => ({
    contents: [QUESTION],
    generationConfig: { maxOutputTokens: 100 },
    simulate: { output_tokens: 20, tokens_per_use: 500, ...controls },
    ...members,
  });
  const generate = (body: object, model = 'web-gemini', key?: string) =>
    calls.post(`/v1beta/models/${model}:generateContent`, body, key);
  const stream = (body: object) => calls.post('/v1beta/models/web-gemini:streamGenerateContent?alt=sse', body);

  async function promptTokens(members: object = {}): Promise<number> {
    return Number(at((await generate(asking({}, members))).json, 'usageMetadata', 'promptTokenCount'));
  }

  it('searches, and bills each query and nothing of what it found', async () => {
    const input = await promptTokens();
    const response = await generate(asking({ searches: 2 }, { tools: [SEARCH] }));
    expect(at(response.json, 'candidates', 0, 'groundingMetadata', 'webSearchQueries')).toHaveLength(2);
    expect(response.json).toMatchObject({ usageMetadata: { promptTokenCount: input, toolUsePromptTokenCount: 1_000 } });
    expect(calls.sent(response)).toMatchObject({ tools: [SEARCH] });
    const output = Number(at(response.json, 'usageMetadata', 'candidatesTokenCount'));
    const record = await calls.recordFor(response);
    expect(record).toMatchObject({ usage_estimated: false, usage: { input, output, search: 2 } });
    expect(costOf(record)).toBe(bill({ input, output, searches: 2 }));
  });

  it('bills all queries as one where the catalogue says so', async () => {
    const response = await generate(asking({ searches: 3 }, { tools: [SEARCH] }), 'web-once');
    const record = await calls.recordFor(response);
    const [input, output] = ['promptTokenCount', 'candidatesTokenCount'].map((name) =>
      Number(at(response.json, 'usageMetadata', name)),
    );
    expect(costOf(record)).toBe(bill({ input: input ?? 0, output: output ?? 0, searches: 1 }));
  });

  it('fetches pages, which cost their tokens and are no searches', async () => {
    const prompt = await promptTokens();
    const response = await generate(asking({ fetches: 2 }, { tools: [FETCH] }));
    expect(at(response.json, 'candidates', 0, 'urlContextMetadata', 'urlMetadata')).toHaveLength(2);
    const output = Number(at(response.json, 'usageMetadata', 'candidatesTokenCount'));
    const record = await calls.recordFor(response);
    expect(costOf(record)).toBe(bill({ input: prompt + 1_000, output, searches: 0 }));
  });

  it('searches beside functions, and takes calls and results back unchanged in the next turn', async () => {
    const first = await generate(asking({ searches: 1 }, COMBINED));
    const content = at(first.json, 'candidates', 0, 'content');
    expect(content).toMatchObject({
      parts: [{ toolCall: { toolType: 'GOOGLE_SEARCH_WEB' } }, { toolResponse: {} }, {}],
    });
    const contents = [QUESTION, content, { role: 'user', parts: [{ text: 'And then?' }] }];
    const next = await generate(asking({}, { ...COMBINED, contents }));
    expect({ status: next.status, text: next.text }).toMatchObject({ status: 200 });
    expect(at(calls.sent(next), 'contents', 1)).toEqual(content);
    expect(await calls.recordFor(first)).toMatchObject({ usage: { search: 1 } });
  });

  it('streams to its SDK', async () => {
    const httpOptions = { baseUrl: gateway.baseUrl };
    const client = new GoogleGenAI({ apiKey: calls.account.key, httpOptions });
    const chunks = await client.models.generateContentStream({
      model: 'web-gemini',
      contents: 'News? [simulate {"searches":2,"tokens_per_use":500}]',
      config: { tools: [SEARCH], maxOutputTokens: 200 },
    });
    let last: Awaited<ReturnType<typeof client.models.generateContent>> | undefined;
    for await (const chunk of chunks) last = chunk;
    expect(last?.candidates?.[0]?.groundingMetadata?.webSearchQueries).toHaveLength(2);
    const { promptTokenCount: input = 0, candidatesTokenCount: output = 0 } = last?.usageMetadata ?? {};
    const id = last?.sdkHttpResponse?.headers?.['x-request-id'];
    expect(costOf(await recordOf(gateway, calls.account, id))).toBe(bill({ input, output, searches: 2 }));
  });

  it('charges what a stream that breaks has reported, and the searches that it has named', async () => {
    const input = await promptTokens(COMBINED);
    const named = await stream(asking({ searches: 1, end_after_events: 5 }, COMBINED));
    expect(named.text).toContain('toolResponse');
    const record = await calls.recordFor(named);
    expect(record).toMatchObject({ status: 'failed', usage: { search: 1 } });
    expect(costOf(record)).toBe(bill({ input, output: Number(at(record, 'usage', 'output')), searches: 1 }));
    // Without functions Google names its searches at the end.
    const unnamed = await calls.recordFor(
      await stream(asking({ searches: 1, end_after_events: 5 }, { tools: [SEARCH] })),
    );
    const prompt = await promptTokens();
    expect(costOf(unnamed)).toBe(bill({ input: prompt, output: Number(at(unnamed, 'usage', 'output')), searches: 0 }));
  });

  it('reads a stream to its end after the client has left, and charges what it reports', async () => {
    const leaver = await gateway.accounts.create(50n * DOLLAR);
    const input = await promptTokens();
    const body = JSON.stringify(asking({ searches: 1, token_delay_ms: 10 }, { tools: [SEARCH] }));
    const headers = { 'x-goog-api-key': leaver.key, 'content-type': 'application/json' };
    const path = '/v1beta/models/web-gemini:streamGenerateContent?alt=sse';
    const response = await open(gateway.baseUrl, { method: 'POST', path, headers, body });
    await readEvents(response, 2);
    response.destroy();
    await expect.poll(async () => (await allRecords(gateway, leaver)).length, SETTLED).toBe(1);
    const [record] = await allRecords(gateway, leaver);
    expect(record).toMatchObject({ status: 'cancelled', usage_estimated: false, usage: { input, search: 1 } });
    expect(costOf(record)).toBe(bill({ input, output: Number(at(record, 'usage', 'output')), searches: 1 }));
  });

  it('leaves a search out that the balance does not pay for, since Gemini has no limit on uses', async () => {
    const poor = await gateway.accounts.create(nanos('0.02'));
    const response = await generate(asking({}, { tools: [SEARCH] }), 'web-gemini', poor.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).not.toHaveProperty('tools');
    expect(JSON.stringify(response.headers)).toContain('the balance does not pay');
  });

  it('leaves tools out for a model without a price for them, and refuses to be forced', async () => {
    const declared = await generate(asking({}, { tools: [SEARCH, FETCH, FUNCTION] }), 'via-gemini');
    expect(calls.sent(declared)).toMatchObject({ tools: [FUNCTION] });
    expect(JSON.stringify(declared.headers)).toContain('tools[0].googleSearch: left out');
    const forced = { tools: [SEARCH], toolConfig: { functionCallingConfig: { mode: 'ANY' } } };
    const refused = await generate(asking({}, forced), 'via-gemini');
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.text).toContain('tools[0].googleSearch');
  });

  it.each(['openai-chat', 'openai-responses', 'anthropic-messages'])(
    'leaves tools and earlier searches out for a model at %s, with a warning',
    async (protocol) => {
      const found = await generate(asking({ searches: 1 }, COMBINED));
      const content = at(found.json, 'candidates', 0, 'content');
      const contents = [QUESTION, content, { role: 'user', parts: [{ text: 'And then?' }] }];
      const response = await generate(asking({}, { contents, tools: [SEARCH, FETCH] }), `web-${protocol}`);
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      expect(JSON.stringify(response.headers)).toContain('tools[0].googleSearch: left out');
      expect(JSON.stringify(calls.sent(response))).not.toMatch(/googleSearch|toolCall|simulated query/);
    },
  );
});
