import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RouterUnderTest, startRouter } from '@tollgate/router/testing/start-router';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';
import { startTokenServer, type TokenServer } from '../testing/token-server.ts';

const ACCOUNT = '0190a5b0-0000-7000-8000-000000000000';

let router: RouterUnderTest;
let tokens: TokenServer;
let folder: string;

beforeAll(async () => {
  const CATALOGUE_FILE = fileURLToPath(new URL('../../../deploy/catalogue/simulated.yaml', import.meta.url));
  router = await startRouter({ CATALOGUE_FILE }, { SIMULATOR_URL: 'http://127.0.0.1:1' });
  tokens = await startTokenServer();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-cli-'));
  await mkdir(join(folder, '.tollgate'));
  await mkdir(join(folder, 'deep', 'below'), { recursive: true });
  const grpc = { auth: tokens.address, ledger: '127.0.0.1:1', router: router.address };
  await writeFile(
    join(folder, '.tollgate', 'up.json'),
    JSON.stringify({ grpc, database_url: 'postgres://x', more: 1 }),
  );
});
afterAll(async () => {
  await router.stop();
  await tokens.stop();
  await rm(folder, { recursive: true });
});

function tollgate(args: string[], env: NodeJS.ProcessEnv = {}, cwd = folder) {
  return runCli(args, { env, cwd, now: () => 1_700_000_000_000 });
}

it('shows defaults in help as people write them', async () => {
  for (const [args, text] of [
    [['operators', 'reset-link'], '1d'],
    [['operators', 'invite'], '7d'],
    [['keys', 'create'], 'all'],
  ] as const) {
    const { stdout } = await tollgate([...args, '--help']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`default: ${text})`);
  }
});

describe('models', () => {
  it('shows prices and what is simulated, for people', async () => {
    const { status, stdout } = await tollgate(['models']);
    expect(status).toBe(0);
    const line = stdout.split('\n').find((text) => text.startsWith('simulated-small'));
    expect(line?.split(/ {2,}/)).toEqual([
      'simulated-small',
      '0.15',
      '0.075',
      '0.6',
      '128000',
      'available, simulated',
      'simulated',
    ]);
  });

  it('prints JSON, wherever --json stands', async () => {
    for (const args of [
      ['--json', 'models'],
      ['models', '--json'],
    ]) {
      const { status, stdout } = await tollgate(args);
      expect(status).toBe(0);
      expect(JSON.parse(stdout).models[0]).toMatchObject({
        id: 'simulated-small',
        simulated: true,
        price: { currency: 'USD', per_million: { input: '0.15', output: '0.6' } },
      });
    }
  });
});

describe('addresses', () => {
  it('come from an option, else a variable, else up.json upward or in TOLLGATE_DATA', async () => {
    const address = router.address;
    const elsewhere = tmpdir();
    const AUTH_ADDRESS = tokens.address;
    const option = ['models', '--router-address', address];
    expect((await tollgate(option, { AUTH_ADDRESS, ROUTER_ADDRESS: 'x:1' }, elsewhere)).status).toBe(0);
    expect((await tollgate(['models'], { AUTH_ADDRESS, ROUTER_ADDRESS: address }, elsewhere)).status).toBe(0);
    expect((await tollgate(['models'], {}, join(folder, 'deep', 'below'))).status).toBe(0);
    expect((await tollgate(['models'], { TOLLGATE_DATA: join(folder, '.tollgate') }, elsewhere)).status).toBe(0);
  });

  it('are asked for in one line when they are not known', async () => {
    const { status, stderr } = await tollgate(['models'], { TOLLGATE_DATA: join(folder, 'nothing') });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: .*--router-address or ROUTER_ADDRESS.*\n$/);
  });

  it('that do not respond are reported in one line', async () => {
    const { status, stderr } = await tollgate(['balance', ACCOUNT]);
    expect(status).toBe(1);
    expect(stderr).toBe('error: the ledger service at 127.0.0.1:1 cannot be reached\n');
  });

  it('include that of auth, which issues the token of the operator', async () => {
    const env = { ROUTER_ADDRESS: router.address };
    expect(await tollgate(['models'], env, tmpdir())).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--auth-address or AUTH_ADDRESS'),
    });
    expect(await tollgate(['models', '--auth-address', '127.0.0.1:1'], env, tmpdir())).toMatchObject({
      status: 1,
      stderr: 'error: the auth service at 127.0.0.1:1 cannot be reached\n',
    });
  });
});

describe('the operator', () => {
  it.each([
    ['an option', ['--operator', 'ana'], { TOLLGATE_OPERATOR: 'ben' }, 'ana'],
    ['a variable', [], { TOLLGATE_OPERATOR: 'ben' }, 'ben'],
    ['the user of the system', [], {}, 'tester'],
  ])('is named by %s', async (_, args, env, expected) => {
    expect((await tollgate(['models', ...args], env)).status).toBe(0);
    expect(tokens.names.at(-1)).toBe(expected);
  });

  it('must have a name', async () => {
    const nameless = await runCli(['models'], { cwd: folder, user: null });
    expect(nameless).toMatchObject({
      status: 1,
      stderr: 'error: the name of the operator is unknown: give --operator or TOLLGATE_OPERATOR\n',
    });
    expect(await tollgate(['models', '--operator', ''])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: name: must have 1 to 200 characters/),
    });
  });
});

describe('wrong calls', () => {
  it.each([
    [['nonsense']],
    [['balance']],
    [['balance', 'not-an-id']],
    [['deposits', 'create', ACCOUNT]],
    [['deposits', 'create', ACCOUNT, '--amount', '1.0000000001']],
    [['deposits', 'create', ACCOUNT, '--amount', '1', '--kind', 'gift']],
    [['requests', 'get', ACCOUNT]],
    [['requests', 'get', ACCOUNT, ACCOUNT, '--trace', '0af7651916cd43dd8448eb211c80319c']],
    [['keys', 'create', ACCOUNT, '--expires', 'soon']],
    [['keys', 'create', ACCOUNT, '--cap-day', '-1']],
    [['keys', 'set-caps', ACCOUNT]],
    [['keys', 'set-caps', ACCOUNT, '--none', '--cap-total', '5']],
    [['accounts', 'set-discount', ACCOUNT]],
    [['accounts', 'set-discount', ACCOUNT, '100.1']],
    [[]],
  ])('end with status 2 and say why: %j', async (args) => {
    const { status, stdout, stderr } = await tollgate(args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
  });

  it('are distinguished from calls for help', async () => {
    const { status, stdout } = await tollgate(['keys', 'create', '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: tollgate keys create');
  });
});
