import type { Provider } from '@pydantic/genai-prices';
import { expect, it } from 'vitest';
import { comparePrices } from './price-differences.ts';

const PROVIDER: Provider = {
  id: 'one',
  name: 'One',
  api_pattern: 'https://one\\.example',
  models: [
    {
      id: 'small',
      match: { or: [{ equals: 'small' }, { equals: 'small-latest' }] },
      prices: { input_mtok: 0.075, cache_read_mtok: 0.01, output_mtok: 0.6, web_searches_kcount: 10 },
    },
    {
      id: 'tiered',
      match: { equals: 'tiered' },
      prices: { input_mtok: { base: 1, tiers: [{ start: 200_000, price: 2 }] }, output_mtok: 4 },
    },
    {
      id: 'dated',
      match: { equals: 'dated' },
      prices: [
        { prices: { input_mtok: 1, output_mtok: 2 } },
        { constraint: { type: 'start_date', start_date: '2026-03-04' }, prices: { input_mtok: 3, output_mtok: 4 } },
        {
          constraint: { type: 'time_of_date', start_time: '01:00:00Z', end_time: '04:30:00Z' },
          prices: { input_mtok: 6, output_mtok: 8 },
        },
      ],
    },
    { id: 'vectors', match: { equals: 'vectors' }, prices: { input_mtok: 0.1, output_mtok: 1 } },
  ],
};

/** Compares one model of a catalogue, on 2026-03-04. */
function compare(name: string, price: string, others = 'max_output_tokens: 1', url = 'https://one.example') {
  const text = `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "${url}", auth: none }]
models:
  - id: m
    context_window: 9
    ${others}
    ${price}
    deployments: [{ provider: p, model: ${name} }]
`;
  return comparePrices(text, (baseUrl) => (baseUrl === 'https://one.example' ? PROVIDER : undefined), '2026-03-04');
}

it.each([
  ['small', 'price: { input: 0.075, cache_read: 0.01, output: 0.6 }', []],
  ['small-latest', 'price: { input: 0.075, cache_read: 0.01, output: 0.5 }', ['output is 0.5, but 0.6 for small']],
  ['small', 'price: { input: 0.075, output: 0.6 }', ['cache_read is 0.075, but 0.01 for small']],
  ['small', 'price: { input: 0.075, cache_read: 0.01, output: 0.6, search: 10000 }', []],
  [
    'small',
    'price: { input: 0.075, cache_read: 0.01, output: 0.6, search: 25000 }',
    ['search is 25000, but 10000 for small'],
  ],
  ['tiered', 'price: { input: 1, output: 4, tiers: [{ above_input_tokens: 200000, input: 2, output: 4 }] }', []],
  [
    'tiered',
    'price: { input: 1, output: 4, tiers: [{ above_input_tokens: 200000, input: 3, output: 4 }] }',
    ['input above 200000 tokens is 3, but 2 for tiered'],
  ],
  ['tiered', 'price: { input: 1, output: 4 }', ['rates of long prompts: none, but above 200000 tokens for tiered']],
])('compares the price of %s: %s', (name, price, expected) => {
  expect(compare(name, price)).toEqual({ differences: expected.map((line) => `m: ${line}`), unknown: [] });
});

it('compares the price in effect, and the highest of a day', () => {
  const later = '{ effective_from: 2026-03-05T00:00:00Z, input: 9, output: 9 }';
  expect(compare('dated', `prices: [{ input: 6, output: 8 }, ${later}]`).differences).toEqual([]);
  expect(compare('dated', 'price: { input: 3, output: 8 }').differences).toEqual(['m: input is 3, but 6 for dated']);
});

it('compares the input rate alone of a model that returns vectors', () => {
  expect(compare('vectors', 'price: { input: 0.1 }', 'output: [embedding]').differences).toEqual([]);
});

it('names models and providers that are not known', () => {
  const unknown = { differences: [], unknown: ['m'] };
  expect(compare('other', 'price: { input: 1, output: 1 }')).toEqual(unknown);
  expect(compare('small', 'price: { input: 1, output: 1 }', undefined, 'http://127.0.0.1')).toEqual(unknown);
});
