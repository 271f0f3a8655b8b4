import { describe, expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';
import { operationOf } from './api/operations.ts';
import { OPERATION_COMMANDS } from './commands/operations.ts';

const ID = '01a1fdf6-cb06-743d-9a51-2e7c61c0a9d4';

describe('wrong calls', () => {
  it.each([
    [['nonsense']],
    [['balance']],
    [['balance', 'not-an-id']],
    [['deposits', 'create', ID]],
    [['deposits', 'create', ID, '--amount', '1.0000000001']],
    [['deposits', 'create', ID, '--amount', '1', '--kind', 'gift']],
    [['requests', 'get', ID]],
    [['keys', 'create', ID, '--expires', 'soon']],
    [['keys', 'create', ID, '--requests-per-minute', '0']],
    [['keys', 'create', ID, '--tag', 'team']],
    [['keys', 'rotate', ID, ID, '--overlap', '31d']],
    [['accounts', 'set-discount', ID]],
    [['accounts', 'set-discount', ID, 'x']],
    [['accounts', 'prices', ID, 'claude-*']],
    [['accounts', 'prices', ID, '*=1', '--none']],
    [['members', 'invite', ID, 'bo@example.com', 'operator']],
    [[]],
  ])('end with status 2 and say why: %j', async (args) => {
    const { status, stdout, stderr } = await runCli(args);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).not.toBe('');
  });

  it('are distinguished from calls for help', async () => {
    const { status, stdout } = await runCli(['keys', 'create', '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: tollgate keys create [options] <account>');
  });

  it('combine no removal with new values', async () => {
    const env = { TOLLGATE_URL: 'http://127.0.0.1:1', TOLLGATE_MANAGEMENT_KEY: 'mk-x' };
    expect(await runCli(['keys', 'update', ID, ID, '--model', 'm', '--without-models'], { env })).toMatchObject({
      status: 2,
      stderr: 'error: --without-models cannot be combined with new values\n',
    });
  });
});

it.each(OPERATION_COMMANDS)(
  '$name calls what programs may call, or says that it is for people',
  async ({ name, route }) => {
    const forPeople = ['operators invite', 'operators remove'];
    expect(operationOf(route).programs).toBe(!forPeople.includes(name));
  },
);

it.each(OPERATION_COMMANDS)('$name is a command', async ({ name }) => {
  const { status, stdout } = await runCli([...name.split(' '), '--help']);
  expect(status).toBe(0);
  expect(stdout).toContain(`Usage: tollgate ${name} `);
});

it('every command has help', async () => {
  const { stdout } = await runCli(['--help']);
  const [, list = ''] = stdout.split('Commands:');
  const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
  expect(names).toEqual(expect.arrayContaining(['keys', 'login', 'verify']));
  for (const name of names) {
    const help = await runCli([name, '--help']);
    expect({ name, ...help }).toMatchObject({ status: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: tollgate ${name} `);
  }
});
