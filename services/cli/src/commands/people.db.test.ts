import { createHash } from 'node:crypto';
import { type AuthFixture, startAuth } from '@tollgate/auth/testing/auth-fixture';
import { required } from '@tollgate/auth/testing/auth-under-test';
import { unaryCall } from '@tollgate/common/grpc/client';
import { type ServedLedger, serveLedger } from '@tollgate/ledger/testing/serve-ledger';
import { Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../testing/run-cli.ts';

const CONSOLE_URL = 'https://console.example';
const PASSWORD_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'c2FsdA'.repeat(4)}$${'aGFzaA'.repeat(8)}`;
const LONG = { deadlineMs: 20_000 };

let fixture: AuthFixture;
let ledger: ServedLedger;

beforeAll(async () => {
  [fixture, ledger] = await Promise.all([startAuth(), serveLedger()]);
});
afterAll(async () => {
  await fixture?.stop();
  await ledger?.drop();
});

function tollgate(args: readonly string[], env: NodeJS.ProcessEnv = { CONSOLE_URL }) {
  const addresses = { AUTH_ADDRESS: fixture.auth.address, LEDGER_ADDRESS: `127.0.0.1:${ledger.server.port}` };
  return runCli(args, { env: { ...addresses, TOLLGATE_OPERATOR: 'ana', ...env } });
}

async function json(...args: string[]) {
  const { status, stdout, stderr } = await tollgate(['--json', ...args]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The SHA-256 of the secret in a printed link. */
function secretOf(link: string, page: string): Buffer {
  const [address, secret = ''] = link.split('#');
  expect(address).toBe(`${CONSOLE_URL}/${page}`);
  return createHash('sha256').update(secret).digest();
}

/** Accepts an invitation by its printed link, as a new person who signs in with their password. */
async function accept(link: string): Promise<string> {
  const { client } = fixture.auth;
  const secretSha256 = secretOf(link, 'invitation');
  const { invitation } = await unaryCall(client.getInvitation.bind(client), { secretSha256 }, LONG);
  const newPerson = { name: 'Bo', passwordHash: PASSWORD_HASH };
  const setPassword = { secretSha256, who: { $case: 'newPerson' as const, value: newPerson } };
  await unaryCall(client.acceptInvitation.bind(client), setPassword, LONG);
  const { email } = required(invitation);
  const { person } = await unaryCall(client.getCredential.bind(client), { email }, LONG);
  const { personId, sessionGeneration } = required(person);
  const request = { secretSha256, who: { $case: 'personId' as const, value: personId }, sessionGeneration };
  await unaryCall(client.acceptInvitation.bind(client), request, LONG);
  return personId;
}

describe('operators', () => {
  it('are invited, listed and removed, except the last one', async () => {
    const first = await json('operators', 'invite', 'First@Example.com', '--console-url', `${CONSOLE_URL}/`);
    await accept(first.link);
    expect(await json('operators', 'list')).toMatchObject({ operators: [{ email: 'first@example.com' }] });
    expect(await tollgate(['operators', 'remove', 'first@example.com'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('last operator'),
    });
    await accept((await json('operators', 'invite', 'second@example.com')).link);
    expect(await tollgate(['operators', 'remove', 'FIRST@example.com'])).toMatchObject({ status: 0 });
    expect(await json('operators', 'list')).toMatchObject({ operators: [{ email: 'second@example.com' }] });
  });

  it('who are locked out get a link that sets a password once', async () => {
    const { client } = fixture.auth;
    await accept((await json('operators', 'invite', 'locked@example.com')).link);
    const { link } = await json('operators', 'reset-link', 'locked@example.com', '--expires-in', '1h');
    const request = { secretSha256: secretOf(link, 'reset'), passwordHash: PASSWORD_HASH };
    const reset = () => unaryCall(client.resetPassword.bind(client), request, LONG);
    expect((await reset()).person?.email).toBe('locked@example.com');
    await expect(reset()).rejects.toMatchObject({ code: 5 });
    expect(await json('audit', '--action', 'password.create_reset')).toMatchObject({
      entries: [{ actor: { id: null, name: 'ana', role: 'operator', via: 'cli' }, target_name: 'locked@example.com' }],
    });
  });

  it('are not invited without the address of the console, or to nobody', async () => {
    expect(await tollgate(['operators', 'invite', 'x@example.com'], {})).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('CONSOLE_URL'),
    });
    expect(await tollgate(['operators', 'invite', 'x'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('email: must be an e-mail address'),
    });
    expect(await tollgate(['operators', 'reset-link', 'nobody@example.com'])).toMatchObject({ status: 1 });
  });
});

describe('members', () => {
  it('are invited, listed, changed and removed', async () => {
    const { accountId } = await fixture.auth.createAccount();
    await accept((await json('members', 'invite', accountId, 'owner@example.com', 'owner')).link);
    await accept((await json('members', 'invite', accountId, 'dev@example.com', 'developer')).link);
    expect(await json('members', 'list', accountId)).toMatchObject({
      members: [
        { email: 'dev@example.com', role: 'developer' },
        { email: 'owner@example.com', role: 'owner' },
      ],
    });
    expect(await json('members', 'set-role', accountId, 'Dev@example.com', 'admin')).toMatchObject({ role: 'admin' });
    const { client } = fixture.auth;
    const request = { accountId, name: 'deploys', role: Role.ADMIN, expiresAtMs: BigInt(Date.now() + 60_000) };
    const { key } = await unaryCall(client.createManagementKey.bind(client), request, LONG);
    await fixture.pool.query(
      `UPDATE auth.management_keys SET created_by_id = (SELECT person_id FROM auth.people WHERE email = 'dev@example.com')`,
    );
    expect(await json('members', 'remove', accountId, 'dev@example.com')).toMatchObject({
      email: 'dev@example.com',
      keys: [],
      management_keys: [{ management_key_id: key?.managementKeyId, name: 'deploys', role: 'admin' }],
    });
    expect(await tollgate(['members', 'remove', accountId, 'owner@example.com'])).toMatchObject({ status: 1 });
    expect(await tollgate(['members', 'set-role', accountId, 'owner@example.com', 'operator'])).toMatchObject({
      status: 2,
    });
  });
});

describe('audit', () => {
  it('merges what auth and the ledger have recorded, newest first', async () => {
    const { account_id: accountId } = await json('accounts', 'create', 'Audited');
    await json('deposits', 'create', accountId, '--amount', '5', '--idempotency-key', 'one');
    await json('accounts', 'update', accountId, '--name', 'Renamed');
    const audit = (...args: string[]) => json('audit', '--account', accountId, ...args);
    const actions = ({ entries }: { entries: { action: string }[] }) => entries.map((entry) => entry.action);
    const all = await audit();
    expect(actions(all)).toEqual(['account.update', 'deposit.create', 'account.create']);
    expect(all).toMatchObject({
      more: false,
      entries: [{ details: { name: 'Audited → Renamed' }, actor: { name: 'ana', via: 'cli' } }, {}, {}],
    });
    const newest = await audit('--limit', '2');
    expect([actions(newest), newest.more]).toEqual([['account.update', 'deposit.create'], true]);
    expect(actions(await audit('--action', 'account'))).toEqual(['account.update', 'account.create']);
    expect(await tollgate(['audit', '--start', '2026-01-02', '--end', '2026-01-01'])).toMatchObject({ status: 2 });
  });
});
