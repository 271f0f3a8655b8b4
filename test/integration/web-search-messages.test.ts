import Anthropic from '@anthropic-ai/sdk';
import { allRecords, balanceOf, costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { RATES } from '@tollgate/test-support/gateway/catalogue';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { open } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { lineNanos, nanos } from '@tollgate/test-support/gateway/money';
import { readEvents } from '@tollgate/test-support/gateway/sse';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';
import { bill, DOLLAR, type WebSearchCalls, webSearchCalls } from './support/web-search.ts';

const SEARCH = { type: 'web_search_20250305', name: 'web_search' } as const;
const FETCH = { type: 'web_fetch_20250910', name: 'web_fetch' } as const;
const SETTLED = { timeout: 30_000, interval: 50 };

let gateway: Gateway;
let calls: WebSearchCalls;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  calls = await webSearchCalls(gateway);
});

describe('Anthropic', () => {
  const asking = (controls: object, members: object = {}) => ({
    model: 'web-anthropic-messages',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'What is new?' }],
    simulate: { output_tokens: 20, tokens_per_use: 500, ...controls },
    ...members,
  });
  const messages = (body: object, key?: string) => calls.post('/v1/messages', body, key);

  async function promptTokens(): Promise<number> {
    const plain = await messages(asking({}));
    return Number(at(plain.json, 'usage', 'input_tokens'));
  }

  it('searches, and each search bills the longer prompt again', async () => {
    const prompt = await promptTokens();
    const response = await messages(asking({ searches: 2 }, { tools: [SEARCH] }));
    expect(response.status).toBe(200);
    const types = listAt(response.json, 'content').map((block) => textAt(block, 'type'));
    expect(types).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'server_tool_use',
      'web_search_tool_result',
      'text',
    ]);
    expect(calls.sent(response)).toMatchObject({ tools: [{ ...SEARCH, max_uses: 3 }] });
    const input = prompt + (prompt + 500) + (prompt + 1_000);
    expect(response.json).toMatchObject({
      usage: { input_tokens: input, server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 } },
    });
    const output = Number(at(response.json, 'usage', 'output_tokens'));
    const record = await calls.recordFor(response);
    expect(costOf(record)).toBe(bill({ input, output, searches: 2 }));
    expect(record).toMatchObject({ usage_estimated: false });
  });

  it('keeps a lower limit of the client, and fails beyond it without a charge', async () => {
    const response = await messages(asking({ searches: 2 }, { tools: [{ ...SEARCH, max_uses: 1 }] }));
    expect(calls.sent(response)).toMatchObject({ tools: [{ max_uses: 1 }] });
    expect(at(response.json, 'content', 3, 'content', 'error_code')).toBe('max_uses_exceeded');
    expect(at(response.json, 'usage', 'server_tool_use', 'web_search_requests')).toBe(1);
    const input = Number(at(response.json, 'usage', 'input_tokens'));
    const output = Number(at(response.json, 'usage', 'output_tokens'));
    expect(costOf(await calls.recordFor(response))).toBe(bill({ input, output, searches: 1 }));
  });

  it('fetches pages, which cost their tokens only', async () => {
    const response = await messages(asking({ fetches: 1 }, { tools: [FETCH] }));
    expect(at(response.json, 'content', 1, 'type')).toBe('web_fetch_tool_result');
    expect(at(response.json, 'usage', 'server_tool_use', 'web_fetch_requests')).toBe(1);
    const input = Number(at(response.json, 'usage', 'input_tokens'));
    const output = Number(at(response.json, 'usage', 'output_tokens'));
    expect(costOf(await calls.recordFor(response))).toBe(bill({ input, output, searches: 0 }));
  });

  it('streams to its SDK, and takes the results back unchanged in the next turn', async () => {
    const client = new Anthropic({ apiKey: calls.account.key, baseURL: gateway.baseUrl, maxRetries: 0 });
    const question = { role: 'user' as const, content: 'News? [simulate {"searches":1,"tokens_per_use":500}]' };
    const params = { model: 'web-anthropic-messages', max_tokens: 200, tools: [SEARCH] };
    const { data: stream, response } = await client.messages
      .create({ ...params, messages: [question], stream: true })
      .withResponse();
    let final: Anthropic.MessageDeltaUsage | undefined;
    for await (const event of stream) if (event.type === 'message_delta') final = event.usage;
    expect(final?.server_tool_use?.web_search_requests).toBe(1);
    const record = await recordOf(gateway, calls.account, response.headers.get('x-request-id'));
    const used = { input: final?.input_tokens ?? 0, output: final?.output_tokens ?? 0, searches: 1 };
    expect(costOf(record)).toBe(bill(used));

    const first = await client.messages.create({ ...params, messages: [question] });
    const more = { role: 'user' as const, content: 'And then?' };
    const history = [question, { role: 'assistant' as const, content: first.content }, more];
    expect((await client.messages.create({ ...params, messages: history })).stop_reason).toBe('end_turn');
    // The provider verifies that its results come back as it made them.
    const changed = JSON.parse(JSON.stringify(history).replace(/"encrypted_content":"../, '"encrypted_content":"xx'));
    const rejected = await messages({ ...params, messages: changed });
    expect(rejected).toMatchObject({ status: 400 });
    expect(rejected.text).toContain('encrypted_content');
  });

  it('charges the searches of a stream that breaks, and the prompt again for each', async () => {
    const prompt = await promptTokens();
    // message_start, ping, the use with its input, and its result: then the connection ends.
    const body = asking({ searches: 2, end_after_events: 15 }, { tools: [SEARCH], stream: true });
    const response = await messages(body);
    expect(response.text.match(/"type":"web_search_tool_result"/g)).toHaveLength(1);
    expect(response.text).not.toContain('message_delta');
    const record = await calls.recordFor(response);
    const output = Number(at(record, 'usage', 'output'));
    expect(record).toMatchObject({ status: 'failed', usage_estimated: true, usage: { input: 2 * prompt, search: 1 } });
    expect(costOf(record)).toBe(bill({ input: 2 * prompt, output, searches: 1 }));
  });

  it('reads a stream to its end after the client has left, and charges what it reports', async () => {
    const leaver = await gateway.accounts.create(DOLLAR);
    const prompt = await promptTokens();
    const body = asking({ searches: 1, token_delay_ms: 10 }, { tools: [SEARCH], stream: true });
    const headers = { authorization: `Bearer ${leaver.key}`, 'content-type': 'application/json' };
    const wire = { method: 'POST', path: '/v1/messages', headers, body: JSON.stringify(body) };
    const stream = await open(gateway.baseUrl, wire);
    await readEvents(stream, 2);
    stream.destroy();
    await expect.poll(async () => (await allRecords(gateway, leaver)).length, SETTLED).toBe(1);
    const [record] = await allRecords(gateway, leaver);
    const input = 2 * prompt + 500;
    expect(record).toMatchObject({ status: 'cancelled', usage_estimated: false, usage: { input, search: 1 } });
    expect(costOf(record)).toBe(bill({ input, output: Number(at(record, 'usage', 'output')), searches: 1 }));
  });

  it('passes on a pause', async () => {
    const response = await messages(asking({ searches: 1, finish_reason: 'pause' }, { tools: [SEARCH] }));
    expect(at(response.json, 'stop_reason')).toBe('pause_turn');
  });

  it('lowers the uses to what the balance pays for', async () => {
    const forced = { tools: [SEARCH], tool_choice: { type: 'tool', name: 'web_search' } };
    const poor = await gateway.accounts.create(10_000n);
    const worst = { searches: 3, tokens_per_use: 2_000, output_tokens: 'max' };
    const refused = await messages(asking(worst, forced), poor.key);
    expect(refused.status).toBe(402);
    const needed = nanos(/\$(\d+\.\d+)/.exec(refused.text)?.[1] ?? '');
    // A search, the prompt three times with what one search adds at most, and the smallest output.
    expect(needed).toBeGreaterThan(lineNanos(1, RATES.web.search) + lineNanos(2 * 2_000, RATES.web.input));

    const able = await gateway.accounts.create(needed);
    const response = await messages(asking(worst, forced), able.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).toMatchObject({ tools: [{ max_uses: 1 }] });
    const record = await calls.recordFor(response, able);
    expect(costOf(record)).toBe(needed - (await balanceOf(gateway, able)));
    expect(costOf(record)).toBeLessThanOrEqual(needed);
    expect(at(response.json, 'usage', 'server_tool_use', 'web_search_requests')).toBe(1);

    const capped = await gateway.accounts.create(50n * DOLLAR, { caps: { totalNanos: needed } });
    const lowered = await messages(asking(worst, forced), capped.key);
    expect(calls.sent(lowered)).toMatchObject({ tools: [{ max_uses: 1 }] });
  });

  it('leaves a tool out that is only declared and that the balance does not pay for', async () => {
    const poor = await gateway.accounts.create(nanos('0.02'));
    const response = await messages(asking({}, { tools: [SEARCH] }), poor.key);
    expect(response.status).toBe(200);
    expect(calls.sent(response)).not.toHaveProperty('tools');
    expect(JSON.stringify(response.headers)).toContain('the balance does not pay');
  });

  it('leaves it out for a model without a price for it, and refuses to be forced', async () => {
    const declared = await messages(asking({}, { model: 'via-anthropic-messages', tools: [SEARCH] }));
    expect(calls.sent(declared)).not.toHaveProperty('tools');
    expect(JSON.stringify(declared.headers)).toContain('tools[0]: left out');
    const forced = { tools: [SEARCH], tool_choice: { type: 'tool', name: 'web_search' } };
    const refused = await messages(asking({}, { model: 'via-anthropic-messages', ...forced }));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('tools[0]');
  });

  it.each(['openai-chat', 'openai-responses', 'gemini'])(
    'leaves tool and earlier results out for a model at %s, with a warning',
    async (protocol) => {
      const found = await messages(asking({ searches: 1 }, { tools: [SEARCH] }));
      const history = [
        { role: 'user', content: 'What is new?' },
        { role: 'assistant', content: at(found.json, 'content') },
        { role: 'user', content: 'And then?' },
      ];
      const response = await messages(asking({}, { model: `web-${protocol}`, messages: history, tools: [SEARCH] }));
      expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
      expect(JSON.stringify(response.headers)).toContain('tools[0]: left out');
      expect(JSON.stringify(calls.sent(response))).not.toContain('web_search');
    },
  );
});
