import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../../testing/run-cli.ts';

/** The day for which the prices below were written. */
const NOW = Date.parse('2026-11-26T12:00:00Z');

const CATALOGUE = `version: 1
providers:
  - { id: g, protocol: openai-chat, base_url: "https://api.groq.com/openai/v1", api_key: { env: G_API_KEY } }
  - { id: own, protocol: openai-chat, base_url: "http://127.0.0.1:8000/v1", auth: none }
models:
  - id: oss
    context_window: 131072
    max_output_tokens: 65536
    price: { input: 0.15, cache_read: 0.075, output: 0.6 }
    deployments: [{ provider: g, model: openai/gpt-oss-120b }]
  - id: mine
    context_window: 9
    max_output_tokens: 1
    price: { input: 0, output: 0 }
    deployments: [{ provider: own }]
`;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function catalogue(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return runCli(['catalogue', ...args], { cwd: folder, now: () => NOW, env });
}

async function check(text: string, ...options: string[]) {
  await writeFile(join(folder, 'file.yaml'), text);
  return catalogue(['check', 'file.yaml', ...options]);
}

describe('catalogue check', () => {
  it('accepts a valid file with public prices, and one’s own models at any price', async () => {
    expect(await check(CATALOGUE)).toEqual({ status: 0, stdout: 'ok: 2 providers, 2 models\n', stderr: '' });
  });

  it('warns of a price that differs from the public one, at its place', async () => {
    const { status, stdout } = await check(CATALOGUE.replace('output: 0.6', 'output: 0.5'));
    expect(status).toBe(0);
    expect(stdout).toBe(
      'warning: file.yaml:9:54: models[0].price.output: price.output is 0.5, but 0.6 in genai-prices\n' +
        'ok: 2 providers, 2 models\n',
    );
  });

  it('warns of a discount for cached input that is missing', async () => {
    const { stdout } = await check(CATALOGUE.replace('cache_read: 0.075, ', ''));
    expect(stdout).toContain('file.yaml:9:5: models[0].price: price.cache_read is 0.15, but 0.075 in genai-prices');
  });

  it('tolerates one percent, or what is asked for', async () => {
    const near = CATALOGUE.replace('output: 0.6', 'output: 0.605');
    expect((await check(near)).stdout).not.toContain('warning');
    expect((await check(near, '--tolerance', '0.5')).stdout).toContain('price.output is 0.605');
    const far = CATALOGUE.replace('output: 0.6', 'output: 0.9');
    expect((await check(far, '--tolerance', '49')).stdout).toContain('price.output is 0.9');
    expect((await check(far, '--tolerance', '50')).stdout).not.toContain('warning');
    expect(await check(far, '--tolerance', 'some')).toMatchObject({ status: 2 });
  });

  it('warns of models that are not known, retired, or larger than known', async () => {
    const model = (name: string) => CATALOGUE.replace('openai/gpt-oss-120b', name);
    expect((await check(model('openai/gpt-oss-9000b'))).stdout).toContain(
      'file.yaml:6:9: models[0].id: groq has no model openai/gpt-oss-9000b in the price source: check its price by hand',
    );
    const retired = model('gpt-4-turbo').replace('api.groq.com/openai', 'api.openai.com');
    expect((await check(retired)).stdout).toContain('models[0].id: was retired by openai on 2026-10-23');
    expect((await check(CATALOGUE.replace('131072', '999999'))).stdout).toContain(
      'models[0].context_window: context_window is 999999, but 131072 in genai-prices',
    );
  });

  it('warns of rates for long prompts that are missing', async () => {
    const text = CATALOGUE.replace('api.groq.com/openai', 'api.x.ai').replace('openai/gpt-oss-120b', 'grok-4.7');
    expect((await check(text)).stdout).toContain('price.tiers is none, but above 199999 in genai-prices');
  });

  it.each([
    ['search: 10000', ''],
    ['search: 25000', 'price.search: price.search is 25000, but 10000 in genai-prices'],
    ['options: { service_tier: { flex: { multiplier: 0.5 }, priority: { multiplier: 2 } } }', ''],
    [
      'options: { service_tier: { flex: { multiplier: 0.6 } } }',
      'service_tier.flex.multiplier: price.options.service_tier.flex.multiplier is 0.6, but 0.5 in genai-prices',
    ],
    ['options: { service_tier: { priority: { input: 3.5, cache_read: 0.35, output: 28 } } }', ''],
    [
      'options: { service_tier: { priority: { input: 3.5, cache_read: 0.35, output: 56 } } }',
      'service_tier.priority.output: price.options.service_tier.priority.output is 56, but 28 in genai-prices',
    ],
    [
      'options: { service_tier: { flex: { input: 0.875, cache_read: 0.0875, output: 7, tiers: [{ above_input_tokens: 9, input: 1, cache_read: 1, output: 1 }] } } }',
      'price.options.service_tier.flex.tiers is above 9, but none in genai-prices',
    ],
  ])('compares the price of a search and of an option: %s', async (fields, warning) => {
    const price = `{ input: 1.75, cache_read: 0.175, output: 14, ${fields} }`;
    const text = CATALOGUE.replace('api.groq.com/openai', 'api.openai.com')
      .replace('openai/gpt-oss-120b', 'gpt-5.2')
      .replace('{ input: 0.15, cache_read: 0.075, output: 0.6 }', price);
    const { status, stdout } = await check(text);
    expect(status).toBe(0);
    const warnings = stdout.split('\n').filter((line) => line.startsWith('warning'));
    expect(warnings).toEqual(warning === '' ? [] : [expect.stringContaining(warning)]);
  });

  it('compares an option with rates of its own with a multiplier', async () => {
    const flex = (tiers: string) =>
      `{ input: 2.5, cache_read: 0.25, output: 15, tiers: [{ above_input_tokens: 272000, input: 5, cache_read: 0.5, output: 22.5 }], options: { service_tier: { flex: ${tiers} } } }`;
    const text = (option: string) =>
      CATALOGUE.replace('api.groq.com/openai', 'api.openai.com')
        .replace('openai/gpt-oss-120b', 'gpt-5.4')
        .replace('{ input: 0.15, cache_read: 0.075, output: 0.6 }', flex(option));
    expect((await check(text('{ multiplier: 0.5 }'))).stdout).toContain(
      'service_tier.flex.multiplier: price.options.service_tier.flex.cache_read is 0.125, but 0.13 in genai-prices',
    );
    const own =
      '{ input: 1.25, cache_read: 0.13, output: 7.5, tiers: [{ above_input_tokens: 272000, input: 2.5, cache_read: 0.25, output: 11.25 }] }';
    expect((await check(text(own))).stdout).not.toContain('warning');
  });

  it('shows errors with line and column, and fails', async () => {
    const { status, stdout, stderr } = await check(CATALOGUE.replace('output: 0.6', 'output: much'));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^file\.yaml:9:54: models\[0\]\.price\.output: must be a decimal number .*\n$/);
    expect(stderr).toBe('error: file.yaml has 1 error\n');
  });

  it('rejects a model without a price, so that it cannot be called', async () => {
    const { status, stdout } = await check(CATALOGUE.replace('    price: { input: 0, output: 0 }\n', ''));
    expect(status).toBe(1);
    expect(stdout).toContain('models[1].price: is missing');
  });

  it('names the variables that the router needs, and a file that is not there', async () => {
    const { status, stdout } = await check(CATALOGUE.replace('http://127.0.0.1:8000', '$' + '{OWN_URL}'));
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'ok: 2 providers, 2 models\nthe router will need these variables: OWN_URL\n',
    });
    expect(await catalogue(['check', 'nowhere.yaml'])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: cannot read nowhere\.yaml: ENOENT/),
    });
    expect(await catalogue(['check'])).toMatchObject({ status: 2 });
  });

  it('warns of a dialect that is not known', async () => {
    const text = CATALOGUE.replace('auth: none', 'auth: none, dialect: newer');
    expect((await check(text)).stdout).toMatch(/^warning: file\.yaml:4:\d+: providers\[1\]\.dialect: /);
  });

  it('prints JSON', async () => {
    const { stdout } = await check(CATALOGUE.replace('output: 0.6', 'output: 0.5'), '--json');
    expect(JSON.parse(stdout)).toEqual({
      errors: [],
      warnings: [
        {
          line: 9,
          column: 54,
          path: 'models[0].price.output',
          message: 'price.output is 0.5, but 0.6 in genai-prices',
        },
      ],
      providers: 2,
      models: 2,
      unset_variables: [],
      source: {
        read: '2026-11-26',
        versions: { 'genai-prices': expect.stringMatching(/^\d+\.\d+/), litellm: expect.stringMatching(/^\d+\.\d+/) },
      },
    });
  });
});

describe('catalogue import', () => {
  it('prints a valid catalogue of models with the prices of the source', async () => {
    const names = ['openai/gpt-oss-120b', 'qwen/qwen3.8-27b'];
    const { status, stdout, stderr } = await catalogue(['import', ...names, '--provider', 'groq']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(parse(stdout, { schema: 'failsafe' }).models).toMatchObject([
      {
        id: 'groq/openai/gpt-oss-120b',
        context_window: '131072',
        max_output_tokens: '65536',
        price: { input: '0.15', cache_read: '0.075', output: '0.60' },
        deployments: [{ provider: 'groq', model: 'openai/gpt-oss-120b' }],
      },
      { id: 'groq/qwen/qwen3.8-27b', price: { input: '0.80', output: '4' } },
    ]);
    expect(await check(stdout)).toEqual({ status: 0, stdout: 'ok: 1 provider, 2 models\n', stderr: '' });
  });

  it('writes prices that change at a known time, tiers and embedding models', async () => {
    const gemini = await catalogue(['import', 'gemini-3.8-flash', '--provider', 'gemini']);
    expect(gemini.stdout).toContain('    prices:\n      - input: 0.75\n');
    expect(gemini.stdout).toContain('      - effective_from: 2027-01-01T00:00:00Z\n        input: 1.50\n');
    const grok = await catalogue(['import', 'grok-4.7', '--provider', 'xai']);
    expect(grok.stdout).toContain('        - above_input_tokens: 199999\n          input: 4\n');
    const embedding = await catalogue(['import', 'text-embedding-3-small', '--provider', 'openai']);
    expect(embedding.stdout).toContain('    price:\n      input: 0.02\n    deployments:');
    expect((await check(embedding.stdout)).status).toBe(0);
  });

  it('names models and providers that are not known', async () => {
    expect(await catalogue(['import', 'a', 'b', '--provider', 'groq'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr:
        'error: groq has no model a, b in the source of 2026-11-26: try --from provider, or write the entry by hand\n',
    });
    expect(await catalogue(['import', 'a', '--provider', 'nobody'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: there is no provider nobody; those known are openai, /),
    });
    expect(await catalogue(['import', 'a'])).toMatchObject({ status: 2 });
    expect(await catalogue(['import', '--provider', 'groq'])).toMatchObject({ status: 2 });
    expect(await catalogue(['import', 'a', '--provider', 'groq', '--from', 'memory'])).toMatchObject({ status: 2 });
  });
});

describe('catalogue import --from provider', () => {
  let server: Server;
  let url: string;
  let answer: { status: number; body: string };
  let authorization: string | undefined;

  beforeEach(async () => {
    authorization = undefined;
    server = createServer((request, response) => {
      authorization = request.headers.authorization;
      response.statusCode = request.url === '/v1/models' ? answer.status : 404;
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function importFrom(provider: string, ...models: string[]) {
    const options = ['--provider', provider, '--from', 'provider', '--base-url', url];
    return catalogue(['import', ...models, ...options], {
      OPENROUTER_API_KEY: 'or-secret',
      TOGETHER_API_KEY: 'to-secret',
    });
  }

  it('takes prices per token, exactly as OpenRouter writes them', async () => {
    const body = `{"data": [
      {"id": "a/model", "name": "A: Model", "context_length": 1000, "architecture": {"input_modalities": ["text", "image"]},
       "top_provider": {"max_completion_tokens": 100},
       "pricing": {"prompt": "0.000000035200000001", "completion": "0.0000000112", "request": "0", "input_cache_read": "0.0000000016"}},
      {"id": "auto", "context_length": 1000, "pricing": {"prompt": "-1", "completion": "-1"}}]}`;
    answer = { status: 200, body };
    const { status, stdout } = await importFrom('openrouter', 'a/model');
    expect(status).toBe(0);
    expect(authorization).toBe('Bearer or-secret');
    expect(stdout).not.toContain('secret');
    expect(parse(stdout, { schema: 'failsafe' }).models).toEqual([
      {
        id: 'openrouter/a/model',
        display_name: 'A: Model',
        context_window: '1000',
        max_output_tokens: '100',
        price: { input: '0.0352', cache_read: '0.0016', output: '0.0112' },
        deployments: [{ provider: 'openrouter', model: 'a/model' }],
      },
    ]);
    expect((await check(stdout)).status).toBe(0);
  });

  it('writes the address that it was given into the entry', async () => {
    answer = { status: 200, body: '{"data": [{"id": "a/model"}]}' };
    const { stdout } = await importFrom('openrouter', 'a/model');
    expect(parse(stdout).providers[0]).toMatchObject({ id: 'openrouter', base_url: url });
    const source = ['import', 'openai/gpt-oss-20b', '--provider', 'groq', '--base-url'];
    expect(parse((await catalogue([...source, url])).stdout).providers[0]).toMatchObject({ id: 'groq', base_url: url });
    expect(await catalogue([...source, 'there'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/there is no URL/),
    });
  });

  it('takes prices per million tokens, exactly as Together writes them', async () => {
    const body =
      '[{"id": "b/M", "display_name": "M", "context_length": 10, "pricing": {"input": 0.1500, "output": 6e-1, "base": 0}}]';
    answer = { status: 200, body };
    const { stdout } = await importFrom('together', 'b/M');
    const [model] = parse(stdout, { schema: 'failsafe' }).models;
    expect(model).toMatchObject({
      id: 'together/b/M',
      price: { input: '0.15', output: '0.60' },
      max_output_tokens: '10',
    });
  });

  it('writes a model without a price so that it cannot be called', async () => {
    answer = {
      status: 200,
      body: '{"data": [{"id": "auto", "context_length": 9, "pricing": {"prompt": "-1", "completion": "-1"}}]}',
    };
    const { status, stdout } = await importFrom('openrouter', 'auto');
    expect(status).toBe(0);
    expect(stdout).toContain('    # price: { input: ..., output: ... } is not known; write it');
    const checked = await check(stdout);
    expect(checked.status).toBe(1);
    expect(checked.stdout).toContain('models[0].price: is missing');
    const json = JSON.parse(
      (
        await catalogue([
          'import',
          'auto',
          '--provider',
          'openrouter',
          '--from',
          'provider',
          '--base-url',
          url,
          '--json',
        ])
      ).stdout,
    );
    expect(json).toMatchObject({
      provider: 'openrouter',
      models: [{ id: 'openrouter/auto', model: 'auto', priced: false }],
    });
  });

  it('names what went wrong, without the credential', async () => {
    answer = { status: 401, body: 'no' };
    expect(await importFrom('openrouter', 'a')).toEqual({
      status: 1,
      stdout: '',
      stderr: `error: cannot get ${url}/models: it answered with status 401; the credential is read from OPENROUTER_API_KEY, which is set\n`,
    });
    expect((await importFrom('mistral', 'a')).stderr).toContain('read from MISTRAL_API_KEY, which is not set');
    answer = { status: 200, body: '<html>' };
    expect((await importFrom('openrouter', 'a')).stderr).toContain(`error: ${url}/models has no list of models: `);
    answer = { status: 200, body: '{"data": []}' };
    expect((await importFrom('openrouter', 'a')).stderr).toBe('error: the list of openrouter has no model a\n');
    answer = { status: 200, body: ' '.repeat(33 * 1024 * 1024) };
    expect((await importFrom('openrouter', 'a')).stderr).toContain('it has more than 33554432 bytes');
  });
});
