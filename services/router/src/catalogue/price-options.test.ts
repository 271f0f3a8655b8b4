import { Bucket } from '@tollgate/proto/router';
import { describe, expect, it } from 'vitest';
import { parseCatalogue } from './parse.ts';

function read(options: string, more = '', provider = '', deployment = '') {
  return parseCatalogue(
    `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none${provider} }]
models:
  - id: m
    context_window: 1000
    max_output_tokens: 100
    deployments: [{ provider: p${deployment} }]
    price: { input: 1.25, cache_read: 0.125, output: 10${more}, options: ${options} }
`,
    { lookup: () => undefined },
  );
}

function modelOf(...fields: Parameters<typeof read>) {
  const result = read(...fields);
  const [model] = result.ok ? result.routes.models : [];
  if (model === undefined) throw new Error(JSON.stringify(result));
  return model;
}

function problemsOf(...fields: Parameters<typeof read>): string {
  const result = read(...fields);
  return result.ok ? '' : result.problems.map(({ path, message }) => `${path}: ${message}`).join('\n');
}

const PRIORITY = 'priority: { input: 2.5, cache_read: 0.25, output: 20 }';

describe('options of a price', () => {
  it('have a multiplier, or every token rate', () => {
    const [price] = modelOf(`{ service_tier: { ${PRIORITY}, flex: { multiplier: "0.5" } } }`).prices;
    expect(price?.options.map(({ name, value, multiplierPpm }) => [name, value, multiplierPpm])).toEqual([
      ['service_tier', 'flex', 500_000n],
      ['service_tier', 'priority', 0n],
    ]);
    expect(price?.options[1]?.rates).toContainEqual({ bucket: Bucket.CACHE_READ, nanosPerMillion: 250_000_000n });
    expect(price?.options[1]?.rates).toContainEqual({ bucket: Bucket.REASONING, nanosPerMillion: 20_000_000_000n });
  });

  it('are part of the version, in any order', () => {
    const version = (options: string) => modelOf(options).prices[0]?.version;
    const both = `{ service_tier: { ${PRIORITY}, flex: { multiplier: 0.5 } } }`;
    expect(version(both)).toBe(version(`{ service_tier: { flex: { multiplier: 0.50 }, ${PRIORITY} } }`));
    const others = [
      both,
      '{}',
      '{ service_tier: { flex: { multiplier: 0.6 } } }',
      '{ speed: { flex: { multiplier: 0.6 } } }',
    ];
    expect(new Set(others.map(version)).size).toBe(others.length);
  });

  it.each<[Parameters<typeof read>, string]>([
    [['{ tier: { flex: { multiplier: 0.5 } } }'], 'options.tier: is an unknown field'],
    [['{ service_tier: { default: { multiplier: 0.5 } } }'], 'service_tier.default: is the list price'],
    [['{ service_tier: { fast: { multiplier: 2 } } }'], 'service_tier.fast: is another name of priority'],
    [['{ service_tier: { Flex: { multiplier: 0.5 } } }'], 'must be lower-case letters'],
    [['{ service_tier: { flex: { multiplier: 0 } } }'], 'flex.multiplier: must be above 0'],
    [['{ service_tier: { flex: { multiplier: 0.1234567 } } }'], 'at most six decimals'],
    [['{ service_tier: { flex: { multiplier: 0.5, input: 1 } } }'], 'flex.multiplier: cannot be combined with rates'],
    [['{ service_tier: { flex: {} } }'], 'flex.input: is required: the price has this rate'],
    [
      ['{ service_tier: { flex: { input: 1, cache_read: 1, output: 1, reasoning: 1 } } }'],
      'flex.reasoning: must not be set',
    ],
    [
      [`{ service_tier: { ${PRIORITY} }, speed: { fast: { input: 3, cache_read: 1, output: 30 } } }`],
      'speed.fast: must have a multiplier: service_tier has rates of its own',
    ],
    [
      ['{ service_tier: { flex: { multiplier: 0.5 } } }', ', cache_write_5m: 0.000000001'],
      'price.cache_write_5m: times the multipliers of its options and deployments has more than nine decimals',
    ],
    [['{}', ', cache_write_5m: 0.00000001', ', price_multiplier: 1.05'], 'price.cache_write_5m: times the multipliers'],
    [
      ['{ service_tier: { p: { input: 2, cache_read: 1, output: 2, tiers: [{ above_input_tokens: 5, input: 1 }] } } }'],
      'p.tiers[0].output: is required',
    ],
  ])('with a fault are refused: %j', (fields, problem) => {
    expect(problemsOf(...fields)).toContain(problem);
  });
});

it.each([
  ['', '', 1_000_000n],
  [', price_multiplier: 1.1', '', 1_100_000n],
  [', price_multiplier: 1.1', ', price_multiplier: "1"', 1_000_000n],
])('a deployment multiplies by its own factor or its provider’s: %j %j', (provider, deployment, ppm) => {
  expect(modelOf('{}', '', provider, deployment).deployments[0]?.priceMultiplierPpm).toBe(ppm);
});
