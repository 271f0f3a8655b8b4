import { bufferedResponse, streamedResponse } from '@tollgate/protocols/testing/translate/upstream-responses';
import { billing, costOf, recently, recordOf } from '@tollgate/test-support/gateway/billing';
import { at } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import OpenAI from 'openai';
import { expect } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const USAGE = {
  input_tokens: 200,
  input_tokens_details: {
    cached_tokens: 0,
    cache_write_tokens: 100,
    cache_write_tokens_details: { ttl_12h_tokens: 60, ttl_30m_tokens: 40 },
  },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 205,
};
const TTL = { prompt_cache_options: { mode: 'explicit', ttl: '12h' } } as const;

withGateway(
  'OpenAI’s cache writes are billed by their lifetime, and 12 hours only where they have a price',
  async ({ gateway }) => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const body = bufferedResponse('openai-responses', { text: 'Hi.', finish: 'stop', usage: JSON.stringify(USAGE) });
    const headers = { 'content-type': 'application/json' };
    const input = `${gateway.hostile.prepare({ headers, body })} ${'x'.repeat(200)}`;

    const { data, response } = await client.responses
      .create({ model: 'cached-for-hours', input, ...TTL })
      .withResponse();
    expect(data.usage?.input_tokens_details).toMatchObject(USAGE.input_tokens_details);
    const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
    const quantities = { input: 100, cache_write_30m: 40, cache_write_12h: 60, output: 5 };
    expect(record).toMatchObject({
      usage_estimated: false,
      usage: quantities,
      lines: [
        { bucket: 'input', amount: '0.0002' },
        { bucket: 'cache_write_30m', amount: '0.0001' },
        { bucket: 'cache_write_12h', amount: '0.00024' },
        { bucket: 'output', amount: '0.00006' },
      ],
    });
    expect(costOf(record)).toBe(nanos('0.0006'));
    const sums = await billing(gateway, account, `usage?${recently()}&interval=hour`);
    expect(at(sums.json, 'data', 0, 'usage')).toEqual(quantities);

    const unpriced = client.responses.create({ model: 'hostile-openai-responses', input, ...TTL });
    await expect(unpriced).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('prompt_cache_options.ttl'),
    });
  },
);

withGateway(
  'cache writes of chat completions, which report no lifetime, are billed at the one that the request asks for',
  async ({ gateway }) => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const client = new OpenAI({ apiKey: account.key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
    const usage = JSON.stringify({
      prompt_tokens: 200,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100 },
      completion_tokens: 5,
      total_tokens: 205,
    });
    const given = { text: 'Hi.', finish: 'stop', usage };
    const ask = (stream: boolean, mode: 'explicit' | 'implicit', model = 'cached-for-hours') => {
      const body = stream ? streamedResponse('openai-chat', given) : bufferedResponse('openai-chat', given);
      const headers = { 'content-type': stream ? 'text/event-stream' : 'application/json' };
      const text = `${gateway.hostile.prepare({ headers, body })} ${'x'.repeat(200)}`;
      const part = {
        type: 'text' as const,
        text,
        prompt_cache_breakpoint: { mode: 'explicit' as const, ttl: '12h' as const },
      };
      const messages = [{ role: 'user' as const, content: [part] }];
      return client.chat.completions.create({ model, messages, stream, prompt_cache_options: { mode } }).withResponse();
    };
    for (const stream of [false, true]) {
      const { data, response } = await ask(stream, 'explicit');
      if (!('choices' in data)) for await (const chunk of data) expect(chunk.object).toBe('chat.completion.chunk');
      const record = await recordOf(gateway, account, response.headers.get('x-request-id'));
      expect(record).toMatchObject({
        usage_estimated: false,
        usage: { input: 100, cache_write_12h: 100, output: 5 },
      });
      expect(costOf(record)).toBe(nanos('0.00066'));
      if ('usage' in data) expect(data.usage).toMatchObject({ cost: 0.00066 });
    }
    const refusals = [
      // OpenAI's own breakpoint has another lifetime.
      { call: () => ask(false, 'implicit'), message: 'they must have one lifetime' },
      { call: () => ask(false, 'explicit', 'hostile-openai-chat'), message: 'no price for this lifetime' },
    ];
    for (const { call, message } of refusals) {
      await expect(call()).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) });
    }
  },
);
