import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';
import { bill, DOLLAR, type WebSearchCalls, webSearchCalls } from './support/web-search.ts';

const SEARCH = { type: 'web_search' } as const;
const FUNCTION = {
  type: 'function',
  name: 'f',
  parameters: { type: 'object', properties: {} },
  strict: false,
} as const;
const SETTLED = { timeout: 30_000, interval: 50 };

let gateway: Gateway;
let calls: WebSearchCalls;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  calls = await webSearchCalls(gateway);
});

describe('OpenAI responses', () => {
  const asking = (controls: object, members: object = {}) => ({
    model: 'web-openai-responses',
    max_output_tokens: 100,
    input: 'What is new?',
    simulate: { output_tokens: 20, tokens_per_use: 500, ...controls },
    ...members,
  });
  const responses = (body: object, key?: string) => calls.post('/v1/responses', body, key);

  async function promptTokens(): Promise<number> {
    return Number(at((await responses(asking({}))).json, 'usage', 'input_tokens'));
  }

  it.each(['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'])(
    '%s searches, and each search bills the longer prompt again',
    async (type) => {
      const prompt = await promptTokens();
      const response = await responses(asking({ searches: 2 }, { tools: [{ type }] }));
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      const types = listAt(response.json, 'output').map((item) => textAt(item, 'type'));
      expect(types).toEqual(['web_search_call', 'web_search_call', 'message']);
      expect(calls.sent(response)).toMatchObject({ tools: [{ type }], max_tool_calls: 3 });
      const input = 3 * prompt + 500 + 1_000;
      const output = Number(at(response.json, 'usage', 'output_tokens'));
      const record = await calls.recordFor(response);
      expect(record).toMatchObject({ usage_estimated: false, usage: { input, output, search: 2 } });
      expect(costOf(record)).toBe(bill({ input, output, searches: 2 }));
    },
  );

  it('bills no search for the pages that it opens', async () => {
    const prompt = await promptTokens();
    const controls = { searches: 1, fetches: 2 };
    const response = await responses(
      asking(controls, { tools: [SEARCH], include: ['web_search_call.action.sources'] }),
    );
    const actions = listAt(response.json, 'output').map((item) => at(item, 'action', 'type'));
    expect(actions).toEqual(['search', 'open_page', 'find_in_page', undefined]);
    expect(at(response.json, 'output', 0, 'action', 'sources')).toHaveLength(1);
    const input = 4 * prompt + 500 + 1_000 + 1_500;
    const output = Number(at(response.json, 'usage', 'output_tokens'));
    expect(costOf(await calls.recordFor(response))).toBe(bill({ input, output, searches: 1 }));
  });

  it('keeps a lower limit of the client', async () => {
    const response = await responses(asking({ searches: 3 }, { tools: [SEARCH], max_tool_calls: 1 }));
    expect(calls.sent(response)).toMatchObject({ max_tool_calls: 1 });
    expect(await calls.recordFor(response)).toMatchObject({ usage: { search: 1 } });
  });

  it('streams to its SDK, and takes the results back unchanged in the next turn', async () => {
    const client = new OpenAI({ apiKey: calls.account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const question = { role: 'user' as const, content: 'News? [simulate {"searches":1,"tokens_per_use":500}]' };
    const params = { model: 'web-openai-responses', max_output_tokens: 200, tools: [SEARCH] };
    const { data: stream, response } = await client.responses
      .create({ ...params, input: [question], stream: true })
      .withResponse();
    const types: string[] = [];
    let final: OpenAI.Responses.Response | undefined;
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.completed') final = event.response;
    }
    expect(types).toContain('response.web_search_call.searching');
    const record = await recordOf(gateway, calls.account, response.headers.get('x-request-id'));
    const used = { input: final?.usage?.input_tokens ?? 0, output: final?.usage?.output_tokens ?? 0, searches: 1 };
    expect(costOf(record)).toBe(bill(used));

    const first = await client.responses.create({ ...params, input: [question] });
    const [call] = first.output;
    expect(call?.type).toBe('web_search_call');
    const found = first.output as OpenAI.Responses.ResponseInputItem[];
    const input = [question, ...found, { role: 'user' as const, content: 'And then?' }];
    const next = await client.responses.create({ ...params, input }).withResponse();
    expect(next.data.status).toBe('completed');
    expect(at(calls.sent({ headers: Object.fromEntries(next.response.headers) }), 'input', 1)).toEqual(call);
  });

  it('charges the searches of a stream that breaks, and the prompt again for each', async () => {
    // Of each use: added, three states, done. The opening has two events.
    const broken = (searches: number) =>
      responses(asking({ searches, end_after_events: 2 + 5 * searches + 4 }, { tools: [SEARCH], stream: true }));
    const plain = await calls.recordFor(await broken(0));
    expect(plain).toMatchObject({ status: 'failed', usage_estimated: true });
    const counted = Number(at(plain, 'usage', 'input'));
    const response = await broken(2);
    expect(response.text).not.toContain('response.completed');
    const record = await calls.recordFor(response);
    expect(record).toMatchObject({ status: 'failed', usage_estimated: true, usage: { input: 3 * counted, search: 2 } });
    const output = Number(at(record, 'usage', 'output'));
    expect(costOf(record)).toBe(bill({ input: 3 * counted, output, searches: 2 }));
  });

  it('reads a stream to its end after the client has left, and charges what it reports', async () => {
    const leaver = await gateway.accounts.create(DOLLAR);
    const prompt = await promptTokens();
    const body = asking({ searches: 1, token_delay_ms: 10 }, { tools: [SEARCH], stream: true });
    const headers = { authorization: `Bearer ${leaver.key}`, 'content-type': 'application/json' };
    const wire = { method: 'POST', path: '/v1/responses', headers, body: JSON.stringify(body) };
    const stream = await open(gateway.baseUrl, wire);
    await readEvents(stream, 4);
    stream.destroy();
    await expect.poll(async () => (await allRecords(gateway, leaver)).length, SETTLED).toBe(1);
    const [record] = await allRecords(gateway, leaver);
    const input = 2 * prompt + 500;
    expect(record).toMatchObject({ status: 'cancelled', usage_estimated: false, usage: { input, search: 1 } });
    expect(costOf(record)).toBe(bill({ input, output: Number(at(record, 'usage', 'output')), searches: 1 }));
  });

  it('lowers the limit to what the balance pays for', async () => {
    const forced = { tools: [SEARCH, FUNCTION], tool_choice: SEARCH };
    const poor = await gateway.accounts.create(10_000n);
    const worst = { searches: 3, tokens_per_use: 2_000, output_tokens: 'max' };
    const refused = await responses(asking(worst, forced), poor.key);
    expect(refused.status).toBe(400);
    const needed = nanos(/\$(\d+\.\d+)/.exec(refused.text)?.[1] ?? '');
    expect(needed).toBeGreaterThan(lineNanos(1, RATES.web.search) + lineNanos(2 * 2_000, RATES.web.input));

    const able = await gateway.accounts.create(needed);
    const response = await responses(asking(worst, forced), able.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).toMatchObject({ max_tool_calls: 1 });
    const record = await calls.recordFor(response, able);
    expect(record).toMatchObject({ usage: { search: 1 }, usage_estimated: false });
    expect(costOf(record)).toBe(needed - (await balanceOf(gateway, able)));
    expect(costOf(record)).toBeLessThanOrEqual(needed);
  });

  it('leaves a search out that is only declared and that the balance does not pay for', async () => {
    const poor = await gateway.accounts.create(nanos('0.02'));
    const response = await responses(asking({}, { tools: [SEARCH, FUNCTION] }), poor.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).toMatchObject({ tools: [FUNCTION] });
    expect(JSON.stringify(response.headers)).toContain('the balance does not pay');
  });

  it('leaves it out for a model without a price for it, and refuses to be forced', async () => {
    const declared = await responses(asking({}, { model: 'via-openai-responses', tools: [SEARCH, FUNCTION] }));
    expect(calls.sent(declared)).toMatchObject({ tools: [FUNCTION] });
    expect(calls.sent(declared)).not.toHaveProperty('max_tool_calls');
    expect(JSON.stringify(declared.headers)).toContain('tools[0]: left out');
    const forced = { tools: [SEARCH], tool_choice: SEARCH };
    const refused = await responses(asking({}, { model: 'via-openai-responses', ...forced }));
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.text).toContain('tools[0]');
  });

  it.each(['openai-chat', 'anthropic-messages', 'gemini'])(
    'leaves tool and earlier searches out for a model at %s, with a warning',
    async (protocol) => {
      const found = await responses(asking({ searches: 1 }, { tools: [SEARCH] }));
      const input = [
        { role: 'user', content: 'What is new?' },
        ...listAt(found.json, 'output'),
        { role: 'user', content: 'And then?' },
      ];
      const response = await responses(asking({}, { model: `web-${protocol}`, input, tools: [SEARCH] }));
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      expect(JSON.stringify(response.headers)).toContain('tools[0]: left out');
      expect(JSON.stringify(calls.sent(response))).not.toContain('web_search');
    },
  );
});
