import { expect, it } from 'vitest';
import {
  bucketRate,
  bucketsOf,
  changesOf,
  effectiveRate,
  type Model,
  matching,
  modelOf,
  type Price,
  rateText,
} from './prices.ts';

const PRICE: Price = {
  version: 'autumn',
  effective_from: null,
  rates: { output: '15', input: '3', search: '10000' },
  tiers: [],
  options: [],
};

it('orders rates as people read them', () => {
  expect(bucketsOf({ ...PRICE.rates, new_kind: '1' })).toEqual(['input', 'output', 'search', 'new_kind']);
});

it('charges cached input as input and reasoning as output unless they have rates', () => {
  expect(effectiveRate(PRICE, 'cache_read')).toBe('3');
  expect(effectiveRate(PRICE, 'reasoning')).toBe('15');
  expect(effectiveRate(PRICE, 'image')).toBeUndefined();
  expect(effectiveRate({ ...PRICE, rates: { ...PRICE.rates, cache_read: '0.3' } }, 'cache_read')).toBe('0.3');
});

it('shows only what an announced price changes', () => {
  const next = { ...PRICE, rates: { input: '2', output: '15.00' } };
  expect(changesOf(PRICE, next)).toEqual([
    { bucket: 'input', from: '3', to: '2' },
    { bucket: 'search', from: '10000', to: null },
  ]);
});

it('finds models by id, name, alias and maker', () => {
  const model = {
    model: 'gpt-5.6-sol',
    display_name: 'GPT 5.6 Sol',
    owned_by: 'openai',
    aliases: ['gpt-5.6'],
  } as Model;
  for (const text of ['SOL', 'gpt-5.6', ' OpenAI ', '']) expect(matching([model], text)).toEqual([model]);
  expect(matching([model], 'claude')).toEqual([]);
});

it('writes rates as prices with all of their digits', () => {
  expect(['3', '0.125', '0.000000001', '10000'].map(rateText)).toEqual([
    '$3.00',
    '$0.125',
    '$0.000000001',
    '$10,000.00',
  ]);
});

it('writes rates of items for 1,000 of them', () => {
  expect(bucketRate('search', '10000')).toBe('$10 per 1,000');
  expect(bucketRate('image', '2500')).toBe('$2.50 per 1,000');
  expect(bucketRate('output', '10000')).toBe('$10,000.00');
});

it('finds a model by its id before one that has it as an alias', () => {
  const models = [
    { model: 'gpt-5.6-sol', aliases: ['gpt-5.6', 'gpt-5'] },
    { model: 'gpt-5', aliases: [] as string[] },
  ] as Model[];
  expect(modelOf(models, 'gpt-5.6')?.model).toBe('gpt-5.6-sol');
  expect(modelOf(models, 'gpt-5')?.model).toBe('gpt-5');
  expect(modelOf(models, 'claude')).toBeUndefined();
});
