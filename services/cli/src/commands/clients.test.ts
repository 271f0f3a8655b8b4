import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientSetups } from '@tollgate/client-setups/clients';
import { type RouterUnderTest, startRouter } from '@tollgate/router/testing/start-router';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../../testing/token-server.ts';

const CATALOGUE = `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - { id: vectors, output: [embedding], context_window: 9, price: { input: 1 }, deployments: [{ provider: p }] }
  - { id: off, enabled: false, context_window: 9, max_output_tokens: 1, price: { input: 1, output: 2 }, deployments: [{ provider: p }] }
  - { id: big, aliases: [grand], context_window: 1000, max_output_tokens: 100, price: { input: 1, output: 2 }, deployments: [{ provider: p }] }
`;
const BASE_URL = 'http://127.0.0.1:8080';

let folder: string;
let router: RouterUnderTest;
let tokens: TokenServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
  const file = join(folder, 'in-use.yaml');
  await writeFile(file, CATALOGUE);
  [router, tokens] = await Promise.all([startRouter({ CATALOGUE_FILE: file }), startTokenServer()]);
  await mkdir(join(folder, '.tollgate'));
  const grpc = { auth: tokens.address, ledger: '127.0.0.1:1', router: router.address };
  const up = { grpc, database_url: 'postgres://x', base_url: BASE_URL };
  await writeFile(join(folder, '.tollgate', 'up.json'), JSON.stringify(up));
});
afterAll(async () => {
  await router.stop();
  await tokens.stop();
  await rm(folder, { recursive: true });
});

function clients(args: string[], env: NodeJS.ProcessEnv = {}) {
  return runCli(['clients', ...args], { env, cwd: folder });
}

describe('clients', () => {
  it('prints files and commands for the running gateway and its first callable model', async () => {
    const { status, stdout } = await clients(['codex']);
    expect(status).toBe(0);
    expect(stdout).toContain('# ~/.codex/config.toml\n\nmodel = "big"\n');
    expect(stdout).toContain(`base_url = "${BASE_URL}/v1"`);
    expect(stdout).toContain('export TOLLGATE_KEY=…\ncodex\n');
  });

  it('prints what the console shows, for programs, with a model and a gateway of choice', async () => {
    const { stdout } = await clients(
      ['opencode', '--model', 'grand', '--base-url', 'https://ai.example.com', '--json'],
      {
        SERVICE_NAME: 'bridges',
      },
    );
    const [setup] = clientSetups({
      baseUrl: 'https://ai.example.com',
      serviceName: 'bridges',
      secret: null,
      model: 'grand',
      contextWindow: 1000,
      maxOutputTokens: 100,
      inputModalities: ['text'],
    }).filter(({ id }) => id === 'opencode');
    expect(JSON.parse(stdout)).toMatchObject({ ...setup });
  });

  it('lists the clients', async () => {
    const { stdout } = await clients([]);
    expect(stdout).toMatch(/^claude-code +Claude Code$/m);
    expect(stdout).toMatch(/^gemini-cli +Gemini CLI$/m);
  });

  it.each([
    { args: ['codex', '--model', 'missing'], status: 1, error: 'the catalogue has no model missing' },
    { args: ['emacs'], status: 2, error: 'there is no client emacs: "tollgate clients" lists them' },
    { args: ['codex', '--base-url', 'x'], status: 1, error: 'the address of the gateway must be a URL' },
  ])('refuses $args', async ({ args, status, error }) => {
    expect(await clients(args)).toMatchObject({ status, stderr: `error: ${error}\n` });
  });

  it('names what says where the gateway is, if nothing does', async () => {
    const { stderr } = await runCli(['clients', 'codex'], { cwd: '/' });
    expect(stderr).toContain('give --base-url or TOLLGATE_BASE_URL, or start "make up"');
  });
});
