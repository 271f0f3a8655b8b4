import { readdirSync, readFileSync } from 'node:fs';
import { parseCatalogue } from '@tollgate/router/catalogue/parse';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = new URL('./', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'simulated.yaml');

function textOf(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

describe.each(FILES)('%s', (name) => {
  it('is a valid catalogue whose ceilings are consistent', () => {
    const result = parseCatalogue(textOf(name), { lookup: () => undefined });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    expect(result.warnings).toEqual([]);
    for (const model of result.routes.models) {
      expect.soft(model.maxOutputTokens, model.modelId).toBeLessThanOrEqual(model.contextWindow);
      expect.soft(model.prices.length, model.modelId).toBeGreaterThan(0);
    }
  });
});

describe.each(readdirSync(new URL('local/', FOLDER)))('local/%s', (name) => {
  const text = textOf(`local/${name}`);
  const lookup = () => 'http://server.example';

  it('is rejected until it has a price, and then valid without warnings', () => {
    const problems = parseCatalogue(text, { lookup });
    expect(problems).toMatchObject({ ok: false, problems: [{ path: 'models[0].price', message: 'is missing' }] });
    const priced = text.replace('# price: { input: ..., output: ... }', 'price: { input: 0, output: 0 }');
    expect(parseCatalogue(priced, { lookup })).toMatchObject({ ok: true, warnings: [] });
  });
});

describe('the starter catalogues', () => {
  it('have no name of a provider, model or deployment in common', () => {
    const names = FILES.flatMap((file) => {
      const { providers, models }: { providers: { id: string }[]; models: { id: string; aliases?: string[] }[] } =
        parse(textOf(file));
      return [
        ...providers.map(({ id }) => `provider ${id}`),
        ...models.flatMap(({ id, aliases = [] }) => [id, ...aliases].map((model) => `model ${model}`)),
      ];
    });
    expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([]);
  });
});

interface PriceText {
  search?: string;
  options?: { [name: string]: { [value: string]: object } };
}

interface EntryText {
  id: string;
  price?: PriceText;
  prices?: PriceText[];
  web_tools?: { max_tokens_per_use?: string; billed_per?: string };
  deployments: { provider: string }[];
}

/** Models of a file, with every value as it is written. */
function entriesOf(file: string): EntryText[] {
  const { models }: { models: EntryText[] } = parse(textOf(file), { schema: 'failsafe' });
  return models;
}

function entryOf(file: string, id: string): EntryText | undefined {
  return entriesOf(file).find((model) => model.id === id);
}

function pricesOf({ price, prices }: EntryText): PriceText[] {
  return prices ?? (price === undefined ? [] : [price]);
}

describe('prices of options', () => {
  // Written down from the providers' pages of prices: openai.com/api-fast-mode, platform.claude.com (fast mode, data residency),
  // console.groq.com (flex processing), and of Gemini from litellm.
  it.each([
    ['openai.yaml', 'gpt-5.5', 'service_tier', 'priority', { input: '12.50', cache_read: '1.25', output: '75' }],
    ['openai.yaml', 'gpt-5.5', 'service_tier', 'flex', { multiplier: '0.5' }],
    ['openai.yaml', 'gpt-5.2', 'service_tier', 'priority', { multiplier: '2' }],
    ['openai.yaml', 'gpt-5-mini', 'service_tier', 'priority', { multiplier: '1.8' }],
    ['openai.yaml', 'gpt-4.1', 'service_tier', 'priority', { multiplier: '1.75' }],
    ['anthropic.yaml', 'claude-opus-5-5', 'speed', 'fast', { multiplier: '2' }],
    ['anthropic.yaml', 'claude-fable-5-2', 'inference_geo', 'us', { multiplier: '1.1' }],
    ['gemini.yaml', 'gemini-2.5-flash', 'service_tier', 'flex', { input: '0.15', cache_read: '0.03', output: '1.25' }],
    ['groq.yaml', 'groq/openai/gpt-oss-120b', 'service_tier', 'flex', { multiplier: '1' }],
  ])('%s: %s with %s %s', (file, id, name, value, expected) => {
    expect(entryOf(file, id)?.price?.options?.[name]?.[value]).toEqual(expected);
  });

  it.each(['claude-opus-4-5', 'claude-haiku-4-5'])(
    '%s, which rejects a place of inference, has no price of one',
    (id) => {
      expect(entryOf('anthropic.yaml', id)?.price).toBeDefined();
      expect(entryOf('anthropic.yaml', id)?.price?.options?.['inference_geo']).toBeUndefined();
    },
  );
});

describe('searches and fetches', () => {
  const sold = FILES.flatMap((file) =>
    entriesOf(file)
      .filter((entry) => pricesOf(entry).some(({ search }) => search !== undefined))
      .map((entry) => ({ file, entry })),
  );

  // Perplexity's tools are bounded by its context window of 128,000 tokens.
  it.each(sold.filter(({ file }) => file !== 'perplexity.yaml').map(({ file, entry }) => [file, entry.id, entry]))(
    '%s: %s have a bound of tokens, so that their hold is not five context windows',
    (_file, _id, { web_tools }) => {
      expect(Number(web_tools?.max_tokens_per_use)).toBeLessThanOrEqual(50_000);
    },
  );

  it.each(sold.filter(({ file }) => file === 'gemini.yaml').map(({ entry }) => [entry.id, entry]))(
    '%s is billed by the prompt before Gemini 3, and then by the query',
    (id, entry) => {
      const isOld = id.startsWith('gemini-2.5');
      expect(entry.web_tools?.billed_per).toBe(isOld ? 'request' : undefined);
      expect(pricesOf(entry).map(({ search }) => search)).toEqual(
        pricesOf(entry).map(() => (isOld ? '35000' : '14000')),
      );
    },
  );

  it('are sold only where a deployment has a protocol with these tools', () => {
    for (const { file, entry } of sold) {
      const { providers }: { providers: { id: string; protocol: string }[] } = parse(textOf(file));
      const protocols = entry.deployments.map(({ provider }) => providers.find(({ id }) => id === provider)?.protocol);
      expect
        .soft(
          protocols.some((protocol) => protocol !== 'openai-chat'),
          entry.id,
        )
        .toBe(true);
    }
    expect(new Set(sold.map(({ file }) => file))).toEqual(
      new Set(['anthropic.yaml', 'gemini.yaml', 'openai.yaml', 'perplexity.yaml']),
    );
  });

  it('of OpenAI are not sold with models whose searches cost more by an older tool or a fixed number of tokens', () => {
    const without = entriesOf('openai.yaml').filter((entry) => pricesOf(entry).every(({ search }) => !search));
    expect(without.map(({ id }) => id).filter((id) => !id.startsWith('text-embedding'))).toEqual([
      'gpt-4.1',
      'gpt-4.1-mini',
      'gpt-4o',
      'gpt-4o-mini',
    ]);
  });
});
