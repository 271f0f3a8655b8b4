import { formatDollars } from '@tollgate/common/money';
import { describe, expect, it } from 'vitest';
import { readBill } from './read-bill.ts';

const page = (data: unknown) => JSON.stringify({ object: 'page', data, has_more: false, next_page: null });
const lines = (...rows: string[]) => rows.join('\n');

/** 2026-11-28 and 2026-11-29, as Unix seconds. */
const [DAY_28, DAY_29] = [1795824000, 1795910400];

const OPENAI_BUCKETS = [
  { object: 'bucket', start_time: DAY_28, end_time: DAY_29, results: [] },
  {
    object: 'bucket',
    start_time: DAY_29,
    end_time: DAY_29 + 86_400,
    results: [
      { model: 'gpt-5-mini-2025-08-07', input_tokens: 1000, input_cached_tokens: 800, output_tokens: 50 },
      { model: 'gpt-5-mini-2025-08-07', input_tokens: 5, input_cached_tokens: 0, output_tokens: 1, batch: true },
    ].map((result) => ({ object: 'organization.usage.completions.result', num_model_requests: 2, ...result })),
  },
];

const EXPORTS: Record<string, string> = {
  'OpenAI usage': page(OPENAI_BUCKETS),
  'OpenAI costs': page([
    {
      object: 'bucket',
      start_time: DAY_29,
      end_time: DAY_29 + 86_400,
      results: [
        { amount: { value: 0.06, currency: 'usd' }, line_item: 'gpt-5-mini-2025-08-07, input', project_id: null },
        { amount: { value: 1e-7, currency: 'usd' }, line_item: 'gpt-5-mini-2025-08-07, output', project_id: null },
      ].map((result) => ({ object: 'organization.costs.result', ...result })),
    },
  ]),
  'OpenAI costs (CSV)': lines(
    'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_name',
    `${DAY_28},${DAY_29},2026-11-28T00:00:00+00:00,2026-11-29T00:00:00+00:00,,,,,`,
    `${DAY_29},${DAY_29 + 86_400},2026-11-29T00:00:00,2026-11-30T00:00:00,0.003835980000000000000000000000,usd,"gpt-5, input",p,"Acme, Inc."`,
  ),
  'Anthropic usage': page([
    {
      starting_at: '2026-11-29T00:00:00Z',
      ending_at: '2026-11-30T00:00:00Z',
      results: [
        {
          uncached_input_tokens: 10,
          cache_creation: { ephemeral_1h_input_tokens: 300, ephemeral_5m_input_tokens: 200 },
          cache_read_input_tokens: 4000,
          output_tokens: 7,
          server_tool_use: { web_search_requests: 3 },
          model: 'claude-haiku-4-5-20251001',
          workspace_id: null,
        },
      ],
    },
  ]),
  'Anthropic usage (CSV)': lines(
    '\uFEFFusage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,' +
      'usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count',
    '2026-11-29,claude-haiku-4-5-20251001,ci,Default,standard,≤ 200k,10,200,300,4000,7,0',
  ),
  'Anthropic costs': page([
    {
      starting_at: '2026-11-29T00:00:00Z',
      ending_at: '2026-11-30T00:00:00Z',
      results: [
        { amount: '123.78912', currency: 'USD', model: 'claude-haiku-4-5', description: 'Haiku', cost_type: 'tokens' },
        { amount: '1', currency: 'USD', model: null, description: 'Web Search Usage', cost_type: 'web_search' },
      ],
    },
  ]),
  'Anthropic costs (CSV)': lines(
    'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type',
    '2026-11-29,Claude Haiku 4.5,Default,ci,message,≤ 200k,input_no_cache,0.05,0.05,token',
    '2026-11-29,Claude Haiku 4.5,Default,ci,message,≤ 200k,output,0.02,0.02,token',
  ),
  'OpenRouter activity': JSON.stringify({
    data: [
      {
        date: '2026-11-29',
        model: 'deepseek/deepseek-v3.2',
        model_permaslug: 'deepseek/deepseek-v3.2-20251201',
        provider_name: 'DeepSeek',
        usage: 0.015,
        byok_usage_inference: 0,
        requests: 5,
        prompt_tokens: 50,
        completion_tokens: 125,
        reasoning_tokens: 25,
      },
    ],
  }),
  'OpenRouter generations (CSV)': lines(
    'generation_id,created_at,cost_total,cost_cache,tokens_prompt,tokens_completion,tokens_reasoning,tokens_cached,model_permaslug,provider_name',
    'gen-1,2026-11-29 02:37:51.271,0.01,0,100,200,50,60,openai/gpt-5,OpenAI',
  ),
  'Google Cloud billing': lines(
    ...[
      { description: 'Gemini 2.5 Flash Lite GA Text Input - Predictions', cost: 0.0001 },
      { description: 'Generate content output token count gemini 2.5 flash lite text', cost: 0.0002 },
    ].map(({ description, cost }) =>
      JSON.stringify({
        service: { description: 'Gemini API' },
        sku: { id: 'X', description },
        usage_start_time: '2026-11-29 08:00:00 UTC',
        cost,
        currency: 'USD',
        usage: { amount: 1, unit: 'count' },
        credits: [],
      }),
    ),
  ),
  'Google Cloud billing (CSV)': lines(
    'usage_start_time,sku_description,cost,currency',
    '2026-11-29 08:00:00 UTC,Gemini 2.5 Pro Text Output - Predictions,1.25,USD',
  ),
};

/** Model, input, cache reads, output, dollars. */
const READ: Record<string, readonly (string | undefined)[][]> = {
  'OpenAI usage': [['gpt-5-mini-2025-08-07', '1005', '800', '51', undefined]],
  'OpenAI costs': [['gpt-5-mini-2025-08-07', undefined, undefined, undefined, '0.0600001']],
  'OpenAI costs (CSV)': [['gpt-5', undefined, undefined, undefined, '0.00383598']],
  'Anthropic usage': [['claude-haiku-4-5-20251001', '4510', '4000', '7', undefined]],
  'Anthropic usage (CSV)': [['claude-haiku-4-5-20251001', '4510', '4000', '7', undefined]],
  'Anthropic costs': [
    ['claude-haiku-4-5', undefined, undefined, undefined, '1.2378912'],
    ['Web Search Usage', undefined, undefined, undefined, '0.01'],
  ],
  'Anthropic costs (CSV)': [['Claude Haiku 4.5', undefined, undefined, undefined, '0.07']],
  'OpenRouter activity': [['deepseek/deepseek-v3.2', '50', undefined, '125', '0.015']],
  'OpenRouter generations (CSV)': [['openai/gpt-5', '100', '60', '200', '0.01']],
  'Google Cloud billing': [
    ['Gemini 2.5 Flash Lite', undefined, undefined, undefined, '0.0001'],
    ['gemini 2.5 flash lite', undefined, undefined, undefined, '0.0002'],
  ],
  'Google Cloud billing (CSV)': [['Gemini 2.5 Pro', undefined, undefined, undefined, '1.25']],
};

describe('an export', () => {
  it.each(Object.entries(EXPORTS))('of %s is read by its columns', async (name, content) => {
    const bill = await readBill(content);
    expect(bill.format).toBe(name);
    expect(bill.days.at(-1)).toBe('2026-11-29');
    const read = bill.lines.map(({ model, quantities }) => [
      model,
      quantities.inputTokens?.toString(),
      quantities.cacheReadTokens?.toString(),
      quantities.outputTokens?.toString(),
      quantities.costNanos === undefined ? undefined : formatDollars(quantities.costNanos),
    ]);
    expect(read).toEqual(READ[name]);
  });

  it('covers days without usage', async () => {
    expect((await readBill(page(OPENAI_BUCKETS))).days).toEqual(['2026-11-28', '2026-11-29']);
  });

  it('may be several pages, in a list or one after the other', async () => {
    const [first = {}, second = {}] = OPENAI_BUCKETS;
    const whole = await readBill(page(OPENAI_BUCKETS));
    expect(await readBill(`[${page([first])},${page([second])}]`)).toEqual(whole);
    expect(await readBill(`${page([first])}\n${page([second])}\n`)).toEqual(whole);
  });

  it.each([
    ['is text', 'hello', /none of the exports/],
    ['is other JSON', '{"a":1}', /none of the exports/],
    ['is broken JSON', '{"data":[', /neither JSON/],
    ['is a list of numbers', '[1,2]', /no objects/],
    ['has no date', 'usage_date_utc,cost_usd,model\nyesterday,1,m', /row 1 has no date in usage_date_utc/],
    ['has another currency', 'start_time,amount_value,amount_currency,line_item\n1795824000,1,eur,m', /must be in USD/],
    ['has a cost that is no number', 'usage_date_utc,cost_usd,model\n2026-11-29,much,m', /cost_usd is no amount/],
    ['has broken tokens', 'start_time,input_tokens,model\n1795824000,-1,m', /input_tokens is no number of tokens/],
    ['is not grouped by model', 'start_time,input_tokens,model\n1795824000,7,', /grouped by model/],
    [
      'has too many days',
      lines('usage_date_utc,cost_usd,model', ...Array.from({ length: 63 }, (_, day) => `${isoDay(day)},1,m`)),
      /more than 62 days/,
    ],
    [
      'has too many models',
      lines('usage_date_utc,cost_usd,model', ...Array.from({ length: 5_001 }, (_, n) => `2026-11-29,1,m${n}`)),
      /more than 5000 models/,
    ],
  ])('that %s is refused', async (_, content, message) => {
    await expect(readBill(content)).rejects.toThrow(message);
  });
});

function isoDay(day: number): string {
  return new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
}
