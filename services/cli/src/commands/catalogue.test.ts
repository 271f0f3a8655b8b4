import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../../testing/run-cli.ts';

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
  return runCli(['catalogue', ...args], { cwd: folder, env });
}

async function check(text: string, ...options: string[]) {
  await writeFile(join(folder, 'file.yaml'), text);
  return catalogue(['check', 'file.yaml', ...options]);
}

describe('catalogue check', () => {
  it('accepts a valid file', async () => {
    expect(await check(CATALOGUE)).toEqual({ status: 0, stdout: 'ok: 2 providers, 2 models\n', stderr: '' });
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
    const { stdout } = await check(CATALOGUE.replace('output: 0.6', 'output: much'), '--json');
    expect(JSON.parse(stdout)).toEqual({
      errors: [
        {
          line: 9,
          column: 54,
          path: 'models[0].price.output',
          message: expect.stringContaining('must be a decimal number'),
        },
      ],
      warnings: [],
      providers: 0,
      models: 0,
      unset_variables: [],
    });
  });
});

describe('catalogue import', () => {
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
    const options = ['--provider', provider, '--base-url', url];
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
    expect(await catalogue(['import', 'a/model', '--provider', 'openrouter', '--base-url', 'there'])).toMatchObject({
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
    const args = ['import', 'auto', '--provider', 'openrouter', '--base-url', url, '--json'];
    const json = JSON.parse((await catalogue(args)).stdout);
    expect(json).toMatchObject({
      provider: 'openrouter',
      models: [{ id: 'openrouter/auto', model: 'auto', priced: false }],
    });
  });

  it('names a maker’s own model as the maker does, and one of a host after the host', async () => {
    answer = { status: 200, body: '{"data": [{"id": "accounts/fireworks/models/m"}, {"id": "m"}]}' };
    const [hosted] = parse((await importFrom('fireworks', 'accounts/fireworks/models/m')).stdout).models;
    expect(hosted).toMatchObject({ id: 'fireworks/m', deployments: [{ model: 'accounts/fireworks/models/m' }] });
    const [own] = parse((await importFrom('mistral', 'm')).stdout).models;
    expect(own).toMatchObject({ id: 'm', deployments: [{ provider: 'mistral' }] });
  });

  it('names providers that are not known, and what is missing', async () => {
    expect(await catalogue(['import', 'a', '--provider', 'nobody'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: there is no provider nobody; those known are anthropic, cerebras, /),
    });
    expect(await catalogue(['import', 'a'])).toMatchObject({ status: 2 });
    expect(await catalogue(['import', '--provider', 'groq'])).toMatchObject({ status: 2 });
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
