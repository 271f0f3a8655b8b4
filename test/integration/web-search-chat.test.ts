import { costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';
import { type WebSearchCalls, webSearchCalls } from './support/web-search.ts';

const OPTIONS = { web_search_options: { search_context_size: 'low' as const } };

let gateway: Gateway;
let calls: WebSearchCalls;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  calls = await webSearchCalls(gateway);
});

/** The bill of `web-chat`: a fee for the request, which includes its search. */
function chatBill(input: number, output: number): bigint {
  const { webChat } = RATES;
  return lineNanos(input, webChat.input) + lineNanos(output, webChat.output) + lineNanos(1, webChat.request);
}

describe('chat completions', () => {
  const asking = (members: object = {}) => ({
    model: 'web-chat',
    max_completion_tokens: 100,
    messages: [{ role: 'user', content: 'What is new?' }],
    simulate: { output_tokens: 20 },
    ...members,
  });
  const chat = (body: object, key?: string) => calls.post('/v1/chat/completions', body, key);

  it.each([OPTIONS, {}])('of a model that always searches have a fee for the request: %j', async (options) => {
    const response = await chat(asking(options));
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(calls.sent(response)).toMatchObject(options);
    expect(at(response.json, 'choices', 0, 'message', 'annotations', 0, 'type')).toBe('url_citation');
    const input = Number(at(response.json, 'usage', 'prompt_tokens'));
    const record = await calls.recordFor(response);
    expect(record).toMatchObject({ usage_estimated: false });
    expect(costOf(record)).toBe(chatBill(input, 20));
  });

  it('stream to the SDK with their search', async () => {
    const client = new OpenAI({ apiKey: calls.account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const { data: stream, response } = await client.chat.completions
      .create({
        model: 'web-chat',
        messages: [{ role: 'user', content: 'News?' }],
        stream: true,
        stream_options: { include_usage: true },
        ...OPTIONS,
      })
      .withResponse();
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) usage = chunk.usage ?? usage;
    const record = await recordOf(gateway, calls.account, response.headers.get('x-request-id'));
    expect(costOf(record)).toBe(chatBill(usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0));
  });

  it('go without a search that the balance does not pay for', async () => {
    // The fee, and the prompt without that of a search.
    const poor = await gateway.accounts.create(nanos('0.03'));
    const response = await chat(asking(OPTIONS), poor.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).not.toHaveProperty('web_search_options');
    expect(JSON.stringify(response.headers)).toContain('the balance does not pay');
  });

  it('hold what the provider can search without being asked to, and the prompts that this repeats', async () => {
    const poor = await gateway.accounts.create(1n);
    const needed = async (model: string) => {
      const refused = await chat(asking({ model }), poor.key);
      expect({ status: refused.status, text: refused.text }).toMatchObject({ status: 400 });
      return nanos(/\$(\d+\.\d+)/.exec(refused.text)?.[1] ?? '');
    };
    const [own, none] = [await needed('web-own'), await needed('web-openai-chat')];
    const found = lineNanos(2_000 + 4_000, RATES.web.input);
    expect(own - none).toBeGreaterThan(lineNanos(2, RATES.web.search) + found);

    const able = await gateway.accounts.create(own);
    const response = await chat(asking({ model: 'web-own' }), able.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).not.toHaveProperty('web_search_options');
  });

  it('go without a search that has no price', async () => {
    const response = await chat(asking({ ...OPTIONS, model: 'via-openai-chat' }));
    expect(response.status).toBe(200);
    expect(calls.sent(response)).not.toHaveProperty('web_search_options');
    expect(JSON.stringify(response.headers)).toContain('web_search_options: left out');
  });

  it.each(['openai-responses', 'anthropic-messages', 'gemini'])(
    'go without a search for a model at %s, with a warning',
    async (protocol) => {
      const response = await chat(asking({ ...OPTIONS, model: `web-${protocol}` }));
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      expect(JSON.stringify(response.headers)).toContain('web_search_options: left out');
      expect(JSON.stringify(calls.sent(response))).not.toContain('search');
    },
  );
});
