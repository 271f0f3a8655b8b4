import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unaryCall } from '@tollgate/common/grpc/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';

const PROGRAM = fileURLToPath(new URL('../task.ts', import.meta.url));
const CONSOLE_URL = 'https://console.example';
const PASSWORD_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'c2FsdA'.repeat(4)}$${'aGFzaA'.repeat(8)}`;
const LONG = { deadlineMs: 20_000 };

let fixture: AuthFixture;
beforeAll(async () => {
  fixture = await startAuth();
});
afterAll(() => fixture?.stop());

function environment() {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, DATABASE_URL: fixture.databaseUrl, TOLLGATE_OPERATOR: 'ana' };
}

/** Runs a task. @returns the SHA-256 of the secret in the link that it prints */
async function link(name: string, page: string): Promise<Buffer> {
  const args = [PROGRAM, name, 'Locked@Example.com', `${CONSOLE_URL}/`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment() });
  const [address, secret = ''] = stdout.trim().split('#');
  expect(address).toBe(`${CONSOLE_URL}/${page}`);
  return createHash('sha256').update(secret).digest();
}

async function audited(action: string) {
  const { rows } = await fixture.pool.query(
    'SELECT actor_name, actor_via, target_name FROM auth.audit WHERE action = $1',
    [action],
  );
  return rows;
}

it('an operator is invited, and gets a link that sets a password once, both under the name of who runs the task', async () => {
  const { client } = fixture.auth;
  const secretSha256 = await link('invite-operator', 'invitation');
  const newPerson = { name: 'Bo', passwordHash: PASSWORD_HASH };
  const accepted = { secretSha256, who: { $case: 'newPerson' as const, value: newPerson } };
  await unaryCall(client.acceptInvitation.bind(client), accepted, LONG);
  const reset = { secretSha256: await link('reset-link', 'reset'), passwordHash: PASSWORD_HASH };
  const done = await unaryCall(client.resetPassword.bind(client), reset, LONG);
  expect(done.person).toMatchObject({ email: 'locked@example.com' });
  await expect(unaryCall(client.resetPassword.bind(client), reset, LONG)).rejects.toMatchObject({ code: 5 });
  const by = { actor_name: 'ana', actor_via: 'cli', target_name: 'locked@example.com' };
  expect(await audited('invitation.create')).toEqual([by]);
  expect(await audited('password.create_reset')).toEqual([by]);
});

it.each([
  [['reset-link', 'nobody@example.com', CONSOLE_URL], 'nobody has this e-mail address'],
  [['reset-link', 'locked@example.com'], 'give an e-mail address and the address of the console'],
  [['invite-operator', 'x', CONSOLE_URL], 'must be an e-mail address'],
])('%j is refused', (args, message) => {
  const run = spawnSync(process.execPath, [PROGRAM, ...args], { env: environment(), encoding: 'utf8' });
  expect(run).toMatchObject({ status: 1, stdout: expect.stringContaining(message) });
});
