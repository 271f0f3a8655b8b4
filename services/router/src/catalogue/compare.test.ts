import { expect, it } from 'vitest';
import { compareCatalogues } from './compare.ts';
import { catalogueFromText } from './load.ts';
import type { Routes } from './to-routes.ts';

const PROVIDERS = '[{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]';

function routes(models: string, providers = PROVIDERS): Routes {
  return catalogueFromText('f', `version: 1\nproviders: ${providers}\nmodels: ${models}\n`, () => undefined).routes;
}

const model = (fields: string) =>
  `[{ id: m, context_window: 9, max_output_tokens: 1, deployments: [{ provider: p }], ${fields} }]`;
const PRICE = 'price: { input: 1, output: 2 }';

function changes(before: Routes, after: Routes): string[] {
  return compareCatalogues(before, after).map((change) =>
    [change.modelId, change.field, change.before, change.after].join(' | '),
  );
}

it('finds nothing between equal catalogues', () => {
  expect(changes(routes(model(PRICE)), routes(model(PRICE)))).toEqual([]);
});

it('names each changed field of a model, with what it was', () => {
  const after = model(
    'price: { input: 1.5, output: 2, image: 7 }, enabled: false, aliases: [n], limits: { requests_per_minute: 5 }',
  );
  expect(changes(routes(model(PRICE)), routes(after))).toEqual([
    'm | enabled | true | false',
    'm | aliases |  | n',
    'm | limits.requests_per_minute |  | 5',
    'm | price.input | 1 | 1.5',
    'm | price.cache_read | 1 | 1.5',
    'm | price.cache_write_5m | 1 | 1.5',
    'm | price.cache_write_1h | 1 | 1.5',
    'm | price.image |  | 7',
  ]);
});

it('compares prices by the time from which they apply, and their tiers', () => {
  const later = 'prices: [{ input: 1, output: 2 }, { effective_from: "2030-01-01T00:00:00Z", input: 1, output: 3 }]';
  expect(changes(routes(model(PRICE)), routes(model(later)))).toContain(
    'm | price from 2030-01-01T00:00:00.000Z.output |  | 3',
  );
  const tiered = 'price: { input: 1, output: 2, tiers: [{ above_input_tokens: 5, input: 4, output: 2 }] }';
  expect(changes(routes(model(PRICE)), routes(model(tiered)))).toContain('m | price.above_5.input |  | 4');
});

it('names a description that is added or removed', () => {
  const described = routes(model(`${PRICE}, description: For drafts.`));
  expect(changes(routes(model(PRICE)), described)).toEqual(['m | description |  | For drafts.']);
  expect(changes(described, routes(model(PRICE)))).toEqual(['m | description | For drafts. | ']);
});

it('names added and removed models and deployments', () => {
  const before = routes(model(PRICE));
  const deployments = `deployments: [{ provider: p }, { id: second, provider: p, model: big, weight: 2 }]`;
  const after = routes(
    `[{ id: m, context_window: 9, max_output_tokens: 1, ${PRICE}, ${deployments} },
      { id: new, display_name: New one, context_window: 9, max_output_tokens: 1, ${PRICE}, deployments: [{ provider: p }] }]`,
  );
  expect(changes(before, after)).toEqual([
    'm | deployments.second |  | big at p, weight 2, priority 0',
    'new | model |  | New one',
  ]);
  expect(changes(after, before)).toEqual([
    'm | deployments.second | big at p, weight 2, priority 0 | ',
    'new | model | New one | ',
  ]);
});

it('names changes of providers without a model', () => {
  const other = '[{ id: p, protocol: openai-chat, base_url: "https://q.example", auth: none, simulated: true }]';
  expect(changes(routes(model(PRICE)), routes(model(PRICE), other))).toEqual([
    ' | providers.p.base_url | https://p.example | https://q.example',
    ' | providers.p.simulated | false | true',
  ]);
});
