import { readFileSync } from 'node:fs';
import { parsePriceVersion } from '@tollgate/common/billing/price-version';
import { formatDollars, parseDollars, parsePercent } from '@tollgate/common/money';
import { meter } from '@tollgate/ingress/exchange/meter';
import {
  maxCostNanos,
  paidNanos,
  priceOfRequest,
  priceUsage,
  type RequestPrice,
} from '@tollgate/ingress/shared/catalogue/request-price';
import { RouteTable } from '@tollgate/ingress/shared/catalogue/route-table';
import { OPTION_NAMES, type RequestedOption } from '@tollgate/protocols/canonical/price-options';
import { BUCKET_NAMES, type Usage, usageOf } from '@tollgate/protocols/canonical/usage';
import { parseCatalogue } from '@tollgate/router/catalogue/parse';
import { describe, expect, it } from 'vitest';
import { type Example, readExamples } from './read-examples.ts';

const examples = readExamples(readFileSync(new URL('examples.md', import.meta.url), 'utf8'));

/** The price of the example's request: the router parses its catalogue, and the ingress selects the price. */
function priceOf({ price, given }: Example): RequestPrice {
  const fields = price.replaceAll('\n', '\n    ');
  const result = parseCatalogue(
    `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - id: m
    context_window: 1000000
    max_output_tokens: 100000
    deployments: [{ provider: p, price_multiplier: ${given.get('price_multiplier') ?? '1'} }]
    ${fields}
`,
    { lookup: () => undefined },
  );
  if (!result.ok) throw new Error(result.problems.map((problem) => `${problem.path}: ${problem.message}`).join('\n'));
  const entry = new RouteTable({ version: '', ...result.routes }).find('m');
  if (entry === undefined) throw new Error('the model has no price');
  const started = Date.parse(given.get('started') ?? '2026-01-01T00:00:00Z');
  const discountPpm = ppmOf(given.get('discount'));
  const adjustment = { discountPpm, markupPpm: ppmOf(given.get('markup')) };
  return priceOfRequest(entry.prices, started, adjustment, {
    options: requestedIn(given),
    multipliersPpm: entry.routes.map((route) => route.priceMultiplierPpm),
  });
}

/** Parses `service_tier flex, speed fast`. */
function readOptions(text = '-'): Record<string, string> {
  return text === '-' ? {} : Object.fromEntries(text.split(', ').map((option) => option.split(' ')));
}

function requestedIn(given: Example['given']): RequestedOption[] {
  const options = readOptions(given.get('requested'));
  return OPTION_NAMES.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [{ name, value, path: name, isOpen: value === 'auto', listed: [] }];
  });
}

function ppmOf(text = '0 %'): number {
  const ppm = parsePercent(text.replace(/^\+| %$/g, ''));
  if (ppm === undefined) throw new Error(`${text} is no percentage`);
  return ppm;
}

function count(text = '0'): number {
  return Number(text.replaceAll(',', ''));
}

/** Parses `1,200 input, 300 output`; absent buckets are 0. */
function readUsage(text: string): Usage {
  const named = text.split(', ').map((part) => part.split(' '));
  for (const [, bucket] of named) expect(BUCKET_NAMES).toContain(bucket);
  return usageOf(Object.fromEntries(named.map(([quantity, bucket = '']) => [bucket, count(quantity)])));
}

async function usageIn(example: Example): Promise<Usage> {
  const { given } = example;
  const usage = given.get('usage');
  const served = given.has('served') ? { options: readOptions(given.get('served')) } : {};
  const calls = given.get('calls')?.split('; ').map(readUsage);
  if (usage !== undefined) return { ...readUsage(usage), ...served, ...(calls !== undefined && { iterations: calls }) };
  const reported = given.get('reported') === 'nothing' ? undefined : readUsage(given.get('reported') ?? '');
  const text = (given.get('text') ?? '').replaceAll('`', '');
  const countInput = async () => count(given.get('prompt counted'));
  const counted = await meter(
    { reported, unreadable: undefined, text, unreported: '', sentBytes: Number.POSITIVE_INFINITY },
    {
      countInput,
      maxInputTokens: Number.POSITIVE_INFINITY,
      maxOutputTokens: Number.POSITIVE_INFINITY,
      maxSearches: 0,
      billsSearchesOnce: false,
      price: priceOf(example),
      images: 0,
    },
  );
  expect(counted.estimated ? 'yes' : 'no').toBe(given.get('estimated'));
  return counted.usage;
}

/** The rows that the code computes for an example, in the page's notation. */
async function workOut(example: Example): Promise<string[][]> {
  const { given } = example;
  const price = priceOf(example);
  const images = count(given.get('images'));
  if (given.has('prompt at most')) {
    const bound = {
      inputTokens: BigInt(count(given.get('prompt at most'))),
      outputTokens: BigInt(count(given.get('output at most'))),
      images: BigInt(images),
      searches: 0n,
    };
    return [['hold', formatDollars(maxCostNanos(price, bound))]];
  }
  const multiplierPpm = BigInt(Math.round(Number(given.get('price_multiplier') ?? '1') * 1_000_000));
  const sent = { options: requestedIn(given), multiplierPpm };
  const { lines, costNanos, baseCostNanos, version } = priceUsage(price, await usageIn(example), images, sent);
  const { version: name, aboveInputTokens, options } = parsePriceVersion(version);
  if (given.has('options')) expect(options).toEqual(readOptions(given.get('options')));
  if (given.has('price')) expect(name.split('-')[0]).toBe(given.get('price'));
  if (given.has('tier')) expect(aboveInputTokens).toBe(given.get('tier') === '-' ? 0 : count(given.get('tier')));
  const rows = lines.map((line) => [
    line.bucket,
    line.quantity.toLocaleString('en-US'),
    formatDollars(line.rateNanosPerMillion),
    formatDollars(line.amountNanos),
  ]);
  rows.push(['cost', '', '', formatDollars(costNanos)]);
  if (baseCostNanos !== undefined) {
    rows.push(['base cost', '', '', formatDollars(baseCostNanos)]);
    rows.push(['margin', '', '', formatDollars(costNanos - baseCostNanos)]);
  }
  const hold = given.get('hold');
  if (hold === undefined) return rows;
  const paid = paidNanos(costNanos, parseDollars(hold) ?? -1n);
  return [...rows, ['paid', '', '', formatDollars(paid)], ['operator loss', '', '', formatDollars(costNanos - paid)]];
}

describe('the rules of docs/reference/pricing.md', () => {
  it('have an example each', () => {
    const page = readFileSync(new URL('../../docs/reference/pricing.md', import.meta.url), 'utf8');
    const rules = [...page.matchAll(/^## (.+)$/gm)].map(([, rule]) => rule);
    expect([...new Set(examples.map((example) => example.rule))]).toEqual(rules);
  });

  it('have no unknown inputs', () => {
    const known = [
      'usage',
      'images',
      'discount',
      'hold',
      'tier',
      'started',
      'price',
      'prompt at most',
      'output at most',
      'requested',
      'served',
      'options',
      'price_multiplier',
      'markup',
      'calls',
    ];
    const reported = ['reported', 'prompt counted', 'text', 'estimated'];
    const names = new Set(examples.flatMap((example) => [...example.given.keys()]));
    expect([...names].filter((name) => !known.includes(name) && !reported.includes(name))).toEqual([]);
  });

  it.each(examples.map((example) => ({ example, rule: example.rule, title: example.title })))(
    '$rule: $title',
    async ({ example }) => {
      expect(example.result.map((row) => [...row.values()])).toEqual(await workOut(example));
    },
  );
});
