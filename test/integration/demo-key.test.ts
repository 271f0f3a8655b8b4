import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { balanceOf } from '@tollgate/test-support/gateway/billing';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const COMMAND = fileURLToPath(new URL('../../services/console/src/task.ts', import.meta.url));

let gateway: Gateway;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
});

/** The command that the chart prints. */
function demoKey(credit: string) {
  const { auth, ledger } = gateway.stack.facts.grpc;
  const env = { ...process.env, AUTH_ADDRESS: auth, LEDGER_ADDRESS: ledger };
  return promisify(execFile)(process.execPath, [COMMAND, 'demo-key', credit], { env });
}

it('the demo key is for one credit, and the command says so when it is run with another', async () => {
  const first = await demoKey('10');
  const again = await demoKey('10');
  const other = await demoKey('25');
  expect([first.stderr, again.stderr]).toEqual(['', '']);
  expect(other.stderr).toMatch(/^The account Demo already has a credit of another amount, and gets no more\.\n$/);
  expect(other.stdout).toMatch(/^sk-tollgate-\w+\n$/);
  const account = { accountId: '', keyId: '', key: other.stdout.trim() };
  expect(await balanceOf(gateway, account)).toBe(10_000_000_000n);
});

it('a demo key with a credit that is no amount is refused in one line', async () => {
  await expect(demoKey('much')).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'The credit must be a positive amount of dollars, such as 10.\n',
  });
});
