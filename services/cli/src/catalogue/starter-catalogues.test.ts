import { readdirSync, readFileSync } from 'node:fs';
import { parseCatalogue } from '@tollgate/router/catalogue/parse';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDecisions } from './decisions.ts';
import { disagreements } from './disagreements.ts';
import { EXTRACT, readPriceSource, SourceIndex } from './price-source.ts';
import { updatePrices } from './starter-prices.ts';

const FOLDER = new URL('../', EXTRACT);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml') && name !== 'simulated.yaml');
const source = readPriceSource();
const index = new SourceIndex(source);
const decisions = readDecisions();

function textOf(name: string): string {
  return readFileSync(new URL(name, FOLDER), 'utf8');
}

describe.each(FILES)('%s', (name) => {
  const text = textOf(name);
  const { models } = updatePrices(text, index, decisions, source.read);

  it('has the prices of the extract', () => {
    expect(updatePrices(text, index, decisions, source.read).text).toBe(text);
  });

  it('has only models that a source knows and that are not retired', () => {
    for (const { id, source: model } of models) {
      expect.soft(model, id).toBeDefined();
      expect.soft(model?.litellm?.retired ?? '9999', id).toSatisfy((day: string) => day > source.read);
    }
  });

  it('has no price that the sources disagree on and nobody decided', () => {
    const undecided = models.filter(
      ({ source: model }) =>
        model !== undefined &&
        disagreements(model, source.read).length > 0 &&
        !decisions.some(({ provider, models: ids }) => provider === model.provider && ids.includes(model.id)),
    );
    expect(undecided.map(({ id }) => id)).toEqual([]);
  });

  it('is a valid catalogue whose ceilings are consistent', () => {
    const result = parseCatalogue(text, { lookup: () => undefined });
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

  it('has no decision that no longer applies', () => {
    for (const { provider, models } of decisions) {
      for (const id of models) {
        const found = source.models.find((model) => model.provider === provider && model.id === id);
        expect.soft(found, `${provider} ${id}`).toBeDefined();
      }
    }
  });
});

/** Nano-dollars of a number of tokens, by the digits of the file and nothing of the code under test. */
function nanoDollars(rate: string, tokens: bigint): bigint {
  const [whole = '0', fraction = ''] = rate.split('.');
  return (BigInt(whole + fraction.padEnd(9, '0')) * tokens) / 1_000_000n;
}

describe('prices of the extract', () => {
  // Written down from genai-prices 0.2.3 and litellm 1.109.1: file, model, and what a million tokens in and out cost.
  it.each([
    ['groq.yaml', 'groq/openai/gpt-oss-120b', 150_000_000n, 600_000_000n],
    ['cerebras.yaml', 'cerebras/qwen-3.8-27b', 990_000_000n, 1_490_000_000n],
    ['mistral.yaml', 'mistral-large-4', 700_000_000n, 2_100_000_000n],
    ['deepseek.yaml', 'deepseek-flash', 300_000_000n, 1_200_000_000n],
    ['moonshot.yaml', 'kimi-k3', 3_000_000_000n, 15_000_000_000n],
    ['zhipu.yaml', 'glm-5.3-flash', 150_000_000n, 500_000_000n],
    ['qwen.yaml', 'qwen3.8-flash', 150_000_000n, 470_000_000n],
    ['xai.yaml', 'grok-4.7', 2_000_000_000n, 6_000_000_000n],
    ['perplexity.yaml', 'perplexity/sonar', 250_000_000n, 2_500_000_000n],
    ['openai.yaml', 'gpt-5.6-luna', 200_000_000n, 1_200_000_000n],
    ['anthropic.yaml', 'claude-fable-5-2', 8_000_000_000n, 40_000_000_000n],
  ])('%s: %s', (file, id, input, output) => {
    const { models }: { models: { id: string; price: { input: string; output: string } }[] } = parse(textOf(file), {
      schema: 'failsafe',
    });
    const price = models.find((model) => model.id === id)?.price;
    expect(nanoDollars(price?.input ?? '', 1_000_000n)).toBe(input);
    expect(nanoDollars(price?.output ?? '', 1_000_000n)).toBe(output);
  });

  it('change at a known time', () => {
    const { models }: { models: { id: string; prices: { [field: string]: string }[] }[] } = parse(
      textOf('gemini.yaml'),
      {
        schema: 'failsafe',
      },
    );
    expect(models.find(({ id }) => id === 'gemini-3.8-flash')?.prices).toEqual([
      { input: '0.75', cache_read: '0.075', output: '3.75', search: '14000' },
      { effective_from: '2027-01-01T00:00:00Z', input: '1.50', cache_read: '0.15', output: '7.50', search: '14000' },
    ]);
  });
});
