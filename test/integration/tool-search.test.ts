import Anthropic from '@anthropic-ai/sdk';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import type { HostileCall, HostileResponse } from '@tollgate/test-support/gateway/hostile-upstream';
import { at } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

/*
 * Answers have the form of those that the AI SDK recorded at both providers. Like OpenAI, the provider refuses deferred tools
 * without a search, and a search without deferred tools.
 */

const JSON_TYPE = { 'content-type': 'application/json' };
const SSE = { 'content-type': 'text/event-stream' };
const WEATHER = { name: 'weather', description: 'Weather of a city' };
const SCHEMA = { type: 'object' as const, properties: {}, additionalProperties: false };

let gateway: Gateway;
let account: Account;
/** The bodies that the provider got. */
const received: unknown[] = [];

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  account = await gateway.accounts.create(1_000_000_000n);
});

function provider(answer: object, events: readonly { type: string }[]) {
  return gateway.hostile.prepare(({ body }: HostileCall): HostileResponse => {
    received.push(JSON.parse(body));
    if (body.includes('"defer_loading":true') !== body.includes('"type":"tool_search')) {
      const message = "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.";
      return { status: 400, headers: JSON_TYPE, body: JSON.stringify({ error: { message } }) };
    }
    if (!body.includes('"stream":true')) return { headers: JSON_TYPE, body: JSON.stringify(answer) };
    const texts = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return { headers: SSE, body: texts.join('') };
  });
}

describe('OpenAI responses', () => {
  const deferred = { ...WEATHER, type: 'function' as const, parameters: SCHEMA, strict: true, defer_loading: true };
  const tools: OpenAI.Responses.Tool[] = [deferred, { type: 'tool_search' }];
  const search = { status: 'completed', call_id: null, execution: 'server' };
  const output = [
    { id: 'tsc_1', type: 'tool_search_call', ...search, arguments: { paths: ['weather'] } },
    { id: 'tso_1', type: 'tool_search_output', ...search, tools: [deferred] },
    {
      id: 'fc_1',
      type: 'function_call',
      status: 'completed',
      arguments: '{}',
      call_id: 'call_1',
      name: 'weather',
      namespace: 'weather',
    },
  ];
  const usage = {
    input_tokens: 640,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 46,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 686,
  };
  const answer = { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output, tools, usage };
  const events = [
    { type: 'response.created', response: { ...answer, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: answer },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));

  const clientOf = ({ key }: Account) => new OpenAI({ apiKey: key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
  const nextTurn = (text: string) =>
    [
      { role: 'user', content: text },
      ...output,
      { type: 'function_call_output', call_id: 'call_1', output: 'Warm.' },
    ] as OpenAI.Responses.ResponseInput;

  it.each([false, true])(
    'runs, is billed by its tokens, and goes on in the next turn; streamed: %s',
    async (stream) => {
      const client = clientOf(account);
      const text = provider(answer, events);
      const params = { model: 'hostile-openai-responses', tools };
      const { data, response } = await client.responses.create({ ...params, input: text, stream }).withResponse();
      let found: OpenAI.Responses.Response | undefined;
      if ('output' in data) found = data;
      else for await (const event of data) if (event.type === 'response.completed') found = event.response;
      expect(found?.output).toEqual(output);
      expect(response.headers.get('x-tollgate-warnings') ?? '').not.toContain('tools');
      expect(await recordOf(gateway, account, response.headers.get('x-request-id'))).toMatchObject({
        usage: { input: 640, output: 26, reasoning: 20 },
        usage_estimated: false,
      });
      await client.responses.create({ ...params, input: nextTurn(text) });
      expect(received.at(-1)).toMatchObject({ tools, input: nextTurn(text) });
    },
  );

  it('is left out with the deferral for a model without it, and where the balance does not pay for it', async () => {
    const poor = await gateway.accounts.create(nanos('0.011'));
    const calls = [
      { model: 'hostile-without-tool-search', by: account, warning: 'tool search is not available for this model' },
      { model: 'hostile-openai-responses', by: poor, warning: 'tool search: left out, since the balance' },
    ];
    for (const { model, by, warning } of calls) {
      const input = nextTurn(provider(answer, events));
      const { response } = await clientOf(by).responses.create({ model, tools, input }).withResponse();
      expect(response.headers.get('x-tollgate-warnings')).toContain(warning);
      expect(at(received.at(-1), 'tools')).toEqual([
        { ...WEATHER, type: 'function', parameters: SCHEMA, strict: true },
      ]);
      expect(at(received.at(-1), 'input')).toMatchObject([{ role: 'user' }, { name: 'weather' }, { output: 'Warm.' }]);
      expect(at(received.at(-1), 'input', 1)).not.toHaveProperty('namespace');
    }
  });

  it.each(['openai-chat', 'anthropic-messages', 'gemini'])('is left out for a model at %s', async (protocol) => {
    const created = clientOf(account).responses.create({
      model: `via-${protocol}`,
      tools,
      input: nextTurn('Weather?'),
    });
    const { response } = await created.withResponse();
    expect(response.headers.get('x-tollgate-warnings')).toContain('tool search is not available for this model');
  });
});

describe('Anthropic', () => {
  const deferred = { ...WEATHER, input_schema: SCHEMA, defer_loading: true };
  const searching = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const;
  const tools: Anthropic.ToolUnion[] = [searching, deferred];
  const caller = { type: 'direct' };
  const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'tool_search_tool_bm25', caller };
  const content = [
    { ...use, input: { query: 'weather' } },
    {
      type: 'tool_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'tool_search_tool_search_result',
        tool_references: [{ type: 'tool_reference', tool_name: 'weather' }],
      },
    },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {}, caller },
  ];
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
  const final = { input_tokens: 1_630, output_tokens: 158, server_tool_use: { web_search_requests: 0 } };
  const answer = { ...head, content, stop_reason: 'tool_use', stop_sequence: null, usage: final };
  const started = { ...head, content: [], stop_reason: null, usage: { input_tokens: 699, output_tokens: 5 } };
  const input = { type: 'input_json_delta', partial_json: '{"query":"weather"}' };
  const events = [
    { type: 'message_start', message: started },
    { type: 'content_block_start', index: 0, content_block: { ...use, input: {} } },
    { type: 'content_block_delta', index: 0, delta: input },
    { type: 'content_block_stop', index: 0 },
    ...content.slice(1).flatMap((block, i) => [
      { type: 'content_block_start', index: i + 1, content_block: block },
      { type: 'content_block_stop', index: i + 1 },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: final },
    { type: 'message_stop' },
  ];
  const nextTurn = (text: string) =>
    [
      { role: 'user', content: text },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Warm.' }] },
    ] as Anthropic.MessageParam[];

  it.each([false, true])(
    'runs, is billed by its tokens, and goes on in the next turn; streamed: %s',
    async (stream) => {
      const client = new Anthropic({ apiKey: account.key, baseURL: gateway.baseUrl, maxRetries: 0 });
      const text = provider(answer, events);
      const params = { model: 'hostile-anthropic-messages', max_tokens: 500, tools };
      const messages = [{ role: 'user' as const, content: text }];
      const call = stream
        ? client.messages.stream({ ...params, messages })
        : client.messages.create({ ...params, messages });
      const { data, response } = await call.withResponse();
      const found = 'content' in data ? data : await data.finalMessage();
      expect(found.content).toEqual(content);
      expect(response.headers.get('x-tollgate-warnings')).toBeNull();
      expect(await recordOf(gateway, account, response.headers.get('x-request-id'))).toMatchObject({
        usage: { input: 1_630, output: 158 },
        usage_estimated: false,
      });
      await client.messages.create({ ...params, messages: nextTurn(text) });
      expect(received.at(-1)).toMatchObject({ tools, messages: nextTurn(text) });
    },
  );

  it.each(['openai-chat', 'openai-responses', 'gemini'])('is left out for a model at %s', async (protocol) => {
    const client = new Anthropic({ apiKey: account.key, baseURL: gateway.baseUrl, maxRetries: 0 });
    const params = { model: `via-${protocol}`, max_tokens: 50, tools, messages: nextTurn('Weather?') };
    const { response } = await client.messages.create(params).withResponse();
    expect(response.headers.get('x-tollgate-warnings')).toContain('tool search is not available for this model');
  });
});
