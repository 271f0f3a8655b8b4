import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RouterUnderTest, startRouter } from '@tollgate/router/testing/start-router';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../../testing/token-server.ts';

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

/** The cells of each line of a table. */
function cells(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

function catalogue(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return runCli(['catalogue', ...args], { cwd: folder, now: () => NOW, env });
}

describe('catalogue diff --with source', () => {
  it('shows every difference of prices and limits, and what the source does not have', async () => {
    const text = CATALOGUE.replace('output: 0.6', 'output: 0.601').replace('65536', '4096');
    await writeFile(join(folder, 'file.yaml'), text);
    const { status, stdout } = await catalogue(['diff', 'file.yaml', '--with', 'source']);
    expect(status).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['MODEL', 'FIELD', 'FILE', 'SOURCE', 'OF'],
      ['oss', 'price.output', '0.601', '0.6', 'genai-prices'],
      ['oss', 'max_output_tokens', '4096', '65536', 'genai-prices'],
      ['Not in the source: mine'],
      [''],
    ]);
    const json = JSON.parse((await catalogue(['diff', 'file.yaml', '--with', 'source', '--json'])).stdout);
    expect(json).toMatchObject({
      errors: [],
      source_read: '2026-11-26',
      differences: [
        { model: 'oss', field: 'price.output', file: '0.601', source: '0.6', of: 'genai-prices' },
        { field: 'max_output_tokens' },
      ],
      unknown: ['mine'],
    });
  });

  it('shows searches and options of the source that the file does not sell', async () => {
    const text = CATALOGUE.replace('api.groq.com/openai', 'api.openai.com')
      .replace('openai/gpt-oss-120b', 'gpt-5.4-nano')
      .replace('131072', '400000')
      .replace('65536', '128000')
      .replace('{ input: 0.15, cache_read: 0.075, output: 0.6 }', '{ input: 0.2, cache_read: 0.02, output: 1.25 }');
    await writeFile(join(folder, 'file.yaml'), text);
    const { stdout } = await catalogue(['diff', 'file.yaml', '--with', 'source']);
    expect(cells(stdout).slice(1, 3)).toEqual([
      ['oss', 'price.search', 'none', '10000', 'genai-prices'],
      ['oss', 'price.options.service_tier.flex', 'none', 'multiplier 0.5', 'genai-prices'],
    ]);
  });

  it('fails with errors', async () => {
    await writeFile(join(folder, 'file.yaml'), CATALOGUE.replace('output: 0.6', 'output: -1'));
    const { status, stdout } = await catalogue(['diff', 'file.yaml', '--with', 'source']);
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: expect.stringMatching(/^file\.yaml:9:54: models\[0\]\.price\.output: must be/),
    });
  });
});

describe('catalogue diff', () => {
  const inUse = `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - id: m
    context_window: 9
    max_output_tokens: 1
    price: { input: 1, output: 2, reasoning: 3 }
    deployments: [{ provider: p }, { id: second, provider: p }]
`;
  const changed = inUse.replace('output: 2', 'output: 2.5').replace('id: m\n', 'id: m\n    aliases: [latest]\n');
  let router: RouterUnderTest;
  let tokens: TokenServer;

  beforeEach(async () => {
    await writeFile(join(folder, 'in-use.yaml'), inUse);
    [router, tokens] = await Promise.all([
      startRouter({ CATALOGUE_FILE: join(folder, 'in-use.yaml') }),
      startTokenServer(),
    ]);
  });
  afterEach(async () => {
    await router.stop();
    await tokens.stop();
  });

  function diff(...args: string[]) {
    const env = { AUTH_ADDRESS: tokens.address, ROUTER_ADDRESS: router.address };
    return runCli(['catalogue', 'diff', ...args], { env, cwd: folder });
  }

  it('shows what a file changes, and does not use it', async () => {
    await writeFile(join(folder, 'new.yaml'), changed);
    const { status, stdout, stderr } = await diff('new.yaml');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(cells(stdout)).toEqual([
      ['MODEL', 'FIELD', 'IN USE', 'FILE'],
      ['m', 'aliases', 'none', 'latest'],
      ['m', 'price.output', '2', '2.5'],
    ]);
    const json = JSON.parse((await diff('new.yaml', '--json')).stdout);
    expect(json).toEqual({
      errors: [],
      changes: [
        { model: 'm', field: 'aliases', in_use: null, file: 'latest' },
        { model: 'm', field: 'price.output', in_use: '2', file: '2.5' },
      ],
    });
    expect((await diff('in-use.yaml')).stdout).toBe('The file does not differ from the catalogue in use.\n');
  });

  it('says when there is no difference', async () => {
    expect(await diff(join(folder, 'in-use.yaml'))).toEqual({
      status: 0,
      stdout: 'The file does not differ from the catalogue in use.\n',
      stderr: '',
    });
  });

  it('shows errors with line and column, and fails', async () => {
    await writeFile(join(folder, 'bad.yaml'), inUse.replace('output: 2', 'output: much'));
    const { status, stdout, stderr } = await diff('bad.yaml');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^bad\.yaml:7:32: models\[0\]\.price\.output: must be a decimal number .*\n$/);
    expect(stderr).toBe('error: bad.yaml has 1 error\n');
    const json = await diff('bad.yaml', '--json');
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ errors: [{ line: 7, column: 32 }], changes: [] });
  });

  it('names a file that is not there or too large', async () => {
    expect(await diff('nowhere.yaml')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: cannot read nowhere\.yaml: ENOENT/),
    });
    await writeFile(join(folder, 'large.yaml'), `# ${'x'.repeat(1024 * 1024)}`);
    expect(await diff('large.yaml')).toMatchObject({
      status: 1,
      stderr: 'error: cannot read large.yaml: it has 1048578 bytes; a catalogue has at most 1048576\n',
    });
  });
});
