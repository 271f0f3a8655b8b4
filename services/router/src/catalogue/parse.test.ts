import { readdirSync, readFileSync } from 'node:fs';
import { formatDollars } from '@tollgate/common/money';
import { Bucket, Modality, Protocol } from '@tollgate/proto/router';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PROBLEMS, parseCatalogue } from './parse.ts';
import { formatProblem } from './problem.ts';

const lookup = (name: string) => (name === 'SIMULATOR_URL' ? 'http://127.0.0.1:8090' : undefined);

const STARTERS = new URL('../../../../deploy/catalogue/', import.meta.url);

const GOOD = `version: 1
providers:
  - id: one
    protocol: openai-chat
    base_url: https://one.example/v1
    api_key: { env: ONE_API_KEY }
models:
  - id: small
    context_window: 1000
    max_output_tokens: 100
    price: { input: 1.25, output: "10" }
    deployments:
      - provider: one
`;

const EMBEDDING = `version: 1
providers:
  - { id: one, protocol: gemini, base_url: "https://one.example", auth: none }
models:
  - id: vectors
    output: [embedding]
    context_window: 1000
    price: { input: 0.02 }
    deployments:
      - provider: one
`;

function parse(text: string) {
  const result = parseCatalogue(text, { lookup });
  if (!result.ok) throw new Error(result.problems.map((problem) => formatProblem('f', problem)).join('\n'));
  return result.routes;
}

function problemsOf(text: string): string[] {
  const result = parseCatalogue(text, { lookup });
  return result.ok ? [] : result.problems.map((problem) => formatProblem('f', problem));
}

/** The good catalogue with one text replaced by another. */
function changed(from: string, to: string): string {
  const text = GOOD.replace(from, to);
  if (text === GOOD) throw new Error(`${from} is not in the catalogue`);
  return text;
}

describe('a good catalogue', () => {
  it('may limit what each account asks of a model', () => {
    const limits = (text: string) => parse(changed('    deployments:', `${text}    deployments:`)).models[0]?.limits;
    expect(limits('    limits: { requests_per_minute: 600, tokens_per_minute: 200000 }\n')).toEqual({
      requestsPerMinute: 600n,
      tokensPerMinute: 200_000n,
    });
    expect(limits('    limits: { tokens_per_minute: 1 }\n')).toEqual({
      requestsPerMinute: undefined,
      tokensPerMinute: 1n,
    });
    expect(parse(GOOD).models[0]?.limits).toBeUndefined();
  });

  it.each([
    '{ requests_per_minute: 0 }',
    '{ tokens_per_minute: 1.5 }',
    '{ requests: 5 }',
    '{ tokens_per_minute: 1e10 }',
  ])('may not limit it by %s', (limits) => {
    const [problem, ...others] = problemsOf(changed('    deployments:', `    limits: ${limits}\n    deployments:`));
    expect(problem).toContain('models[0].limits');
    expect(others).toEqual([]);
  });

  it('becomes routes with defaults filled in', () => {
    const { providers, models } = parse(GOOD);
    expect(providers).toMatchObject([{ providerId: 'one', protocol: Protocol.OPENAI_CHAT, simulated: false }]);
    expect(models).toMatchObject([
      {
        modelId: 'small',
        displayName: 'small',
        description: '',
        ownedBy: 'one',
        protocols: [Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES, Protocol.ANTHROPIC_MESSAGES, Protocol.GEMINI],
        inputModalities: [Modality.TEXT],
        outputModalities: [Modality.TEXT],
        enabled: true,
        deployments: [
          {
            deploymentId: 'small@one',
            upstreamModel: 'small',
            weight: 1,
            credentials: [{ source: { $case: 'environmentVariable', value: 'ONE_API_KEY' } }],
          },
        ],
      },
    ]);
  });

  it('may send headers with each call, whose names are spelled in one way', () => {
    const text = changed('api_key', 'headers: { Anthropic-Version: 2024-01-01, x-team: "7" }\n    api_key');
    expect(parse(text).providers[0]?.headers).toEqual({ 'anthropic-version': '2024-01-01', 'x-team': '7' });
  });

  it('has a rate for every token bucket', () => {
    const rates = parse(GOOD).models[0]?.prices[0]?.rates ?? [];
    expect(new Map(rates.map((rate) => [rate.bucket, rate.nanosPerMillion]))).toEqual(
      new Map<Bucket, bigint>([
        [Bucket.INPUT, 1_250_000_000n],
        [Bucket.CACHE_READ, 1_250_000_000n],
        [Bucket.CACHE_WRITE_5M, 1_250_000_000n],
        [Bucket.CACHE_WRITE_1H, 1_250_000_000n],
        [Bucket.OUTPUT, 10_000_000_000n],
        [Bucket.REASONING, 10_000_000_000n],
      ]),
    );
  });

  it('may be JSON', () => {
    const catalogue = {
      version: 1,
      providers: [{ id: 'one', protocol: 'openai-chat', base_url: 'https://one.example', auth: 'none' }],
      models: [
        {
          id: 'small',
          context_window: 10,
          max_output_tokens: 1,
          price: { input: 0.1, output: '0.2' },
          deployments: [{ provider: 'one' }],
        },
      ],
    };
    expect(parse(JSON.stringify(catalogue)).models[0]?.prices[0]?.rates[0]?.nanosPerMillion).toBe(100_000_000n);
  });

  it('gives each set of rates its own version', () => {
    const versionOf = (text: string) => parse(text).models[0]?.prices[0]?.version;
    expect(versionOf(GOOD)).toBe(versionOf(changed('"10"', '10.00')));
    expect(versionOf(GOOD)).not.toBe(versionOf(changed('"10"', '11')));
    const labelled = changed('input: 1.25', 'version: v7, input: 1.25');
    expect(versionOf(labelled)).toMatch(/^v7-/);
    expect(versionOf(labelled)).not.toBe(versionOf(labelled.replace('1.25', '1.26')));
  });

  it('offers a model to the protocols it names alone, whatever its provider speaks', () => {
    const text = changed('context_window', 'protocols: [anthropic-messages]\n    context_window');
    expect(parse(text).models[0]?.protocols).toEqual([Protocol.ANTHROPIC_MESSAGES]);
  });

  it('may hold an embedding model, with the price of its input and nothing else', () => {
    const { modelId, outputModalities, protocols, maxOutputTokens, prices } = parse(EMBEDDING).models[0] ?? {};
    expect({ modelId, outputModalities, protocols, maxOutputTokens }).toEqual({
      modelId: 'vectors',
      outputModalities: [Modality.EMBEDDING],
      protocols: [],
      maxOutputTokens: 0n,
    });
    expect(prices?.[0]?.rates).toEqual([{ bucket: Bucket.INPUT, nanosPerMillion: 20_000_000n }]);
  });

  it.each(readdirSync(STARTERS).filter((name) => name.endsWith('.yaml')))('is shipped: %s', (name) => {
    expect(parse(readFileSync(new URL(name, STARTERS), 'utf8')).models.length).toBeGreaterThan(0);
  });
});

describe('prices', () => {
  it('are read exactly from the text, in YAML and JSON, quoted or not', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.boolean(), (nanos, quoted) => {
        const dollars = formatDollars(nanos);
        const text = changed('input: 1.25', `input: ${quoted ? `"${dollars}"` : dollars}`);
        expect(parse(text).models[0]?.prices[0]?.rates[0]?.nanosPerMillion).toBe(nanos);
      }),
    );
  });

  it.each([
    ['price: { input: 1.25, output: "10" }', 'price: { input: 1.25 }', 'f:11:5: models[0].price.output: is missing'],
    ['    price: { input: 1.25, output: "10" }\n', '', 'f:8:5: models[0].price: is missing'],
    ['1.25', '1.0000000001', 'f:11:21: models[0].price.input: has more than nine decimals'],
    ['1.25', '1e2', 'models[0].price.input: must be a decimal number'],
    ['1.25', '-1', 'models[0].price.input: must be a decimal number'],
    ['1.25', 'null', 'models[0].price.input: must be dollars per million'],
  ])('with a fault are refused: %s', (from, to, problem) => {
    expect(problemsOf(changed(from, to)).join('\n')).toContain(problem);
  });
});

describe('faults', () => {
  it.each([
    ['an unknown field', 'protocol:', 'colour: red\n    protocol:', 'f:4:13: providers[0].colour: is an unknown field'],
    [
      'an unknown provider',
      'provider: one',
      'provider: two',
      'models[0].deployments[0].provider: there is no provider two',
    ],
    [
      'an alias in use',
      'id: small',
      'id: small\n    aliases: [small]',
      'models[0].aliases[0]: the model name small is already used',
    ],
    ['a variable that is no credential', 'ONE_API_KEY', 'HOME', 'providers[0].api_key.env: must name a variable'],
    ['a relative path', 'env: ONE_API_KEY', 'file: key.txt', 'providers[0].api_key.file: must be an absolute path'],
    ['both sources', 'env: ONE_API_KEY', 'env: A_KEY, file: /k', 'providers[0].api_key: must have either env or file'],
    ['no credential', '    api_key: { env: ONE_API_KEY }\n', '', 'models[0].deployments[0]: has no credential'],
    [
      'images of unknown size',
      'context_window',
      'input: [image]\n    context_window',
      'models[0].max_tokens_per_image: is required',
    ],
    ['no output limit', '    max_output_tokens: 100\n', '', 'models[0].max_output_tokens: is missing'],
    ['more output than context', '1000', '10', 'models[0].max_output_tokens: is larger than context_window'],
    [
      'a credential header',
      'api_key',
      'headers: { X-Api-Key: a }\n    api_key',
      'providers[0].headers.X-Api-Key: carries a',
    ],
    [
      'an unset variable',
      'https://one.example',
      '$' + '{NOPE}',
      'providers[0].base_url: the environment variable NOPE is not',
    ],
    ['a repeated key', 'id: small', 'id: small\n    id: other', 'f:9:5: models[0].id: is set twice in one map'],
    ['broken YAML', 'providers:', 'providers: [', 'f:'],
    ['another version', 'version: 1', 'version: 2', 'f:1:10: version: Invalid input: expected 1'],
  ])('are reported with their place: %s', (_, from, to, problem) => {
    expect(problemsOf(changed(from, to)).join('\n')).toContain(problem);
  });

  it.each([
    [
      'an output limit',
      'context_window',
      'max_output_tokens: 1\n    context_window',
      'models[0].max_output_tokens: is not',
    ],
    [
      'an output price',
      '0.02 }',
      '0.02, output: 1 }',
      'f:8:35: models[0].price.output: is not allowed for an embedding model',
    ],
    ['a price of reasoning', '0.02 }', '0.02, reasoning: 1 }', 'models[0].price.reasoning: is not'],
    ['text beside vectors', '[embedding]', '[text, embedding]', 'models[0].output: must not combine embedding'],
    ['images', 'output:', 'input: [image]\n    output:', 'models[0].input: must be only text'],
    ['client protocols', 'output:', 'protocols: [gemini]\n    output:', 'models[0].protocols: is not allowed for an'],
    [
      'a provider that has none',
      'gemini',
      'anthropic-messages',
      'deployments[0].provider: provider one uses anthropic',
    ],
  ])('of an embedding model are reported with their place: %s', (_, from, to, problem) => {
    expect(problemsOf(EMBEDDING.replace(from, to)).join('\n')).toContain(problem);
  });

  it('include vectors as an input', () => {
    expect(problemsOf(changed('context_window', 'input: [embedding]\n    context_window')).join('')).toContain(
      'models[0].input[0]:',
    );
  });

  it('are reported all at once, in the order of the text', () => {
    const text = changed('protocol: openai-chat', 'protocol: telepathy')
      .replace('1.25', 'dear')
      .replace('provider: one', 'provider: two');
    expect(problemsOf(text).map((line) => line.split(' ')[1])).toEqual([
      'providers[0].protocol:',
      'models[0].price.input:',
      'models[0].deployments[0].provider:',
    ]);
  });

  it.each(['', 'null', '[]', 'text', '42'])('include a text that is no catalogue: %j', (text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  it.each<[string, string, string]>([
    [
      'a map of many keys with one of them twice',
      `{ ${Array.from({ length: 100_000 }, (_, key) => `k${key}: 1`).join(', ')}, k7: 1 }`,
      'k7: is set twice in one map',
    ],
    [
      'many credentials',
      `[${Array.from({ length: 40_000 }, (_, key) => `sk-abcdefghijklmnop${key}`).join(', ')}]`,
      '[998]: looks like a credential: put it in a variable or file and refer to it',
    ],
    [
      'many unknown fields',
      `{ version: 1, ${Array.from({ length: 80_000 }, (_, key) => `unknown${key}: 1`).join(', ')} }`,
      'unknown997: is an unknown field',
    ],
    ['lists within lists', `{ version: ${'['.repeat(900)}${']'.repeat(900)} }`, 'is nested more than 100 levels deep'],
  ])('are found in time that grows with the text: %s', (_, text, problem) => {
    const problems = problemsOf(text);
    expect(problems.at(-1)).toContain(problem);
    expect(problems.length).toBeLessThanOrEqual(MAX_PROBLEMS);
  });

  it('include aliases that multiply', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i}, `.repeat(9)}]`);
    expect(problemsOf(`l0: &l0 [x]\n${levels.join('\n')}\n`)[0]).toContain('too many or circular aliases');
  });

  it('never make the reader throw', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseCatalogue(text, { lookup }).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.json(), (insert) => {
        const result = parseCatalogue(GOOD.replace('provider: one', `provider: ${insert}`), { lookup });
        expect(result.ok).toBe(false);
      }),
    );
  });
});

describe('credentials in the text', () => {
  it.each([
    ['sk-proj-abcdefghijklmnop', 'providers[0].api_key.env'],
    ['AIzaSyA1234567890abcdefghijklmnopqrstu', 'providers[0].api_key.env'],
  ])('are refused with their path and not repeated: %s', (secret, path) => {
    const problems = problemsOf(changed('ONE_API_KEY', secret)).join('\n');
    expect(problems).toContain(`${path}: looks like a credential`);
    expect(problems).not.toContain(secret);
  });

  it('are refused in comments', () => {
    expect(problemsOf(`# sk-proj-abcdefghijklmnop\n${GOOD}`)).toEqual([expect.stringContaining('f:1:3: looks like')]);
  });
});
