import { Bucket } from '@tollgate/proto/router';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParseOptions, parseCatalogue } from './parse.ts';
import { formatProblem } from './problem.ts';

/** A catalogue of one model with these fields. */
function catalogue(fields: string): string {
  return `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - id: m
    context_window: 1000
    max_output_tokens: 100
    deployments: [{ provider: p }]
    ${fields}
`;
}

function read(fields: string, options: Partial<ParseOptions> = {}) {
  return parseCatalogue(catalogue(fields), { lookup: () => undefined, ...options });
}

function routesOf(fields: string) {
  const result = read(fields);
  if (!result.ok) throw new Error(result.problems.map((problem) => formatProblem('f', problem)).join('\n'));
  return result.routes;
}

function pricesOf(fields: string) {
  return routesOf(fields).models[0]?.prices ?? [];
}

function problemsOf(fields: string, options: Partial<ParseOptions> = {}): string[] {
  const result = read(fields, options);
  return result.ok ? [] : result.problems.map((problem) => formatProblem('f', problem));
}

const rateOf = (rates: readonly { bucket: Bucket; nanosPerMillion: bigint }[] | undefined, bucket: Bucket) =>
  rates?.find((rate) => rate.bucket === bucket)?.nanosPerMillion;

describe('tiers', () => {
  it('have rates of their own for all tokens, read exactly', () => {
    const [price] = pricesOf(
      'price: { input: 1, output: 2, tiers: [{ above_input_tokens: 200000, input: 0.100000001, output: "3" }] }',
    );
    expect(price?.tiers).toHaveLength(1);
    const [tier] = price?.tiers ?? [];
    expect(tier?.aboveInputTokens).toBe(200_000n);
    expect(rateOf(tier?.rates, Bucket.INPUT)).toBe(100_000_001n);
    expect(rateOf(tier?.rates, Bucket.CACHE_WRITE_1H)).toBe(100_000_001n);
    expect(rateOf(tier?.rates, Bucket.REASONING)).toBe(3_000_000_000n);
  });

  it('are part of the version', () => {
    const version = (tiers: string) => pricesOf(`price: { input: 1, output: 2${tiers} }`)[0]?.version;
    const versions = [
      version(''),
      version(', tiers: [{ above_input_tokens: 5, input: 1, output: 2 }]'),
      version(', tiers: [{ above_input_tokens: 6, input: 1, output: 2 }]'),
      version(', tiers: [{ above_input_tokens: 6, input: 1, output: 3 }]'),
      version(', request: 0'),
    ];
    expect(new Set(versions).size).toBe(versions.length);
  });

  const tiered = (tiers: string, more = '') => `price: { input: 1, output: 2${more}, tiers: [${tiers}] }`;
  it.each([
    [tiered('{ above_input_tokens: 0, input: 1, output: 1 }'), 'price.tiers[0].above_input_tokens: Too small'],
    [tiered('{ above_input_tokens: 1.5, input: 1, output: 1 }'), 'price.tiers[0].above_input_tokens: Invalid input'],
    [tiered('{ input: 1, output: 1 }'), 'price.tiers[0].above_input_tokens: is missing'],
    [tiered('{ above_input_tokens: 5, output: 1 }'), 'price.tiers[0].input: is missing'],
    [tiered('{ above_input_tokens: 5, input: 1 }'), 'price.tiers[0].output: is required: the price has this rate'],
    [
      tiered('{ above_input_tokens: 5, input: 1, output: 1 }', ', cache_read: 0.1'),
      'price.tiers[0].cache_read: is required',
    ],
    [
      tiered('{ above_input_tokens: 5, input: 1, output: 1, reasoning: 1 }'),
      'price.tiers[0].reasoning: must not be set: the price has no',
    ],
    [tiered('{ above_input_tokens: 5, input: -1, output: 1 }'), 'price.tiers[0].input: must be a decimal number'],
    [tiered('{ above_input_tokens: 5, input: 1e3, output: 1 }'), 'price.tiers[0].input: must be a decimal number'],
    [tiered('{ above_input_tokens: 5, input: 1, output: 1, image: 1 }'), 'price.tiers[0].image: is an unknown field'],
    [
      tiered('{ above_input_tokens: 5, input: 1, output: 1 }, { above_input_tokens: 5, input: 1, output: 1 }'),
      'price.tiers[1].above_input_tokens: must be above that of the previous tier',
    ],
    [tiered(''), 'price.tiers: Too small'],
  ])('with a fault are refused by its field: %s', (fields, problem) => {
    expect(problemsOf(fields).join('\n')).toContain(`models[0].${problem}`);
  });
});

describe('prices one after another', () => {
  it('come into force at their moments, whatever the offset they are written with', () => {
    const prices = pricesOf(`prices:
      - { input: 1, output: 1 }
      - { effective_from: 2026-12-01T00:00:00+02:00, input: 2, output: 2 }
      - { effective_from: "2026-12-01T00:00:00.5Z", input: 3, output: 3 }`);
    expect(prices.map(({ effectiveFromMs, rates }) => [effectiveFromMs, rateOf(rates, Bucket.INPUT)])).toEqual([
      [0n, 1_000_000_000n],
      [BigInt(Date.UTC(2026, 10, 30, 22)), 2_000_000_000n],
      [BigInt(Date.UTC(2026, 11, 1)) + 500n, 3_000_000_000n],
    ]);
  });

  const dated = (from: string) => `prices: [{ input: 1, output: 1 }, { input: 2, output: 2${from} }]`;
  it.each([
    [dated(''), 'prices[1].effective_from: is missing'],
    [dated(', effective_from: 2026-12-01'), 'prices[1].effective_from: must be a time with its offset'],
    [dated(', effective_from: 2026-12-01T00:00:00'), 'prices[1].effective_from: must be a time with its offset'],
    [dated(', effective_from: 2026-02-30T00:00:00Z'), 'prices[1].effective_from: must be a time with its offset'],
    [dated(', effective_from: 1796083200'), 'prices[1].effective_from: must be a time with its offset'],
    [
      'prices: [{ effective_from: 2026-12-01T00:00:00Z, input: 1, output: 1 }]',
      'prices[0].effective_from: must not be set for the first price',
    ],
    [
      `prices:
      - { input: 1, output: 1 }
      - { effective_from: 2026-12-01T00:00:00Z, input: 2, output: 2 }
      - { effective_from: 2026-12-01T01:00:00+01:00, input: 3, output: 3 }`,
      'prices[2].effective_from: must be later than that of the previous price',
    ],
    ['price: { input: 1, output: 1 }\n    prices: [{ input: 1, output: 1 }]', 'prices: cannot be combined with price'],
    ['prices: []', 'prices: Too small'],
    ['prices: [{ input: 1 }]', 'prices[0].output: is missing'],
    ['prices: [{ input: dear, output: 1 }]', 'prices[0].input: must be a decimal number'],
    ['enabled: true', 'price: is missing'],
  ])('with a fault are refused by its field: %s', (fields, problem) => {
    expect(problemsOf(fields).join('\n')).toContain(`models[0].${problem}`);
  });

  it('are read exactly from the text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 9n, max: 10n ** 15n }), (nanos) => {
        const text = `${nanos / 1_000_000_000n}.${String(nanos % 1_000_000_000n).padStart(9, '0')}`;
        expect(rateOf(pricesOf(`prices: [{ input: ${text}, output: 1 }]`)[0]?.rates, Bucket.INPUT)).toBe(nanos);
      }),
    );
  });
});

describe('items', () => {
  it('have rates where they are given', () => {
    const [price] = pricesOf('price: { input: 1, output: 1, image: 1300, search: 10000, request: 0.5 }');
    expect(rateOf(price?.rates, Bucket.IMAGE)).toBe(1_300_000_000_000n);
    expect(rateOf(price?.rates, Bucket.SEARCH)).toBe(10_000_000_000_000n);
    expect(rateOf(price?.rates, Bucket.REQUEST)).toBe(500_000_000n);
  });

  it('need not count as tokens where images have a price of their own', () => {
    expect(problemsOf('input: [text, image]\n    price: { input: 1, output: 1, image: 5 }')).toEqual([]);
    expect(problemsOf('input: [text, image]\n    price: { input: 1, output: 1 }').join('')).toContain(
      'models[0].max_tokens_per_image: is required',
    );
  });
});

describe('the version of a price', () => {
  const before = { before: routesOf('price: { version: v1, input: 1, output: 1 }') };

  it('keeps its rates when the catalogue is loaded again', () => {
    expect(problemsOf('price: { version: v1, input: 1.0, output: 1 }', before)).toEqual([]);
    expect(problemsOf('price: { version: v1, input: 1, output: 1.5 }', before)).toEqual([
      'f:8:23: models[0].price.version: v1 had other rates in the catalogue loaded before: a changed price needs ' +
        'a new version',
    ]);
    expect(problemsOf('price: { version: v2, input: 1, output: 1.5 }', before)).toEqual([]);
    expect(problemsOf('price: { input: 1, output: 1.5 }', before)).toEqual([]);
  });

  it('continues in a list of prices, and its rates may return', () => {
    const list = `prices:
      - { version: v1, input: 1, output: 1 }
      - { version: v2, effective_from: 2026-12-01T00:00:00Z, input: 2, output: 1 }
      - { version: v1, effective_from: 2026-12-02T00:00:00Z, input: 1, output: 1 }`;
    expect(problemsOf(list, before)).toEqual([]);
    expect(problemsOf(list.replace('input: 2', 'input: 3').replace('v2', 'v1'), before).join('\n')).toContain(
      'models[0].prices[1].version: v1 is already the version of another price of this model',
    );
  });
});
