import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RouterUnderTest, startRouter } from '@tollgate/router/testing/start-router';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../../testing/token-server.ts';

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
