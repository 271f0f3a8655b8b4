import { randomUUID } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { browserOf, joinByShownLink } from '../../testing/join-by-link.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const PASSWORD = 'correct horse battery staple';
const LONG = { deadlineMs: 20_000 };

let running: RunningConsole;
let anyone: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  anyone = new ApiClient(running.url, undefined);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => running.stop());

const newEmail = () => `${randomUUID()}@example.com`;

/** Invites an address to a new account; returns the secret of its link. */
async function invite(email: string) {
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('owner', accountId);
  const path = { account_id: accountId };
  const body = { email, role: 'developer' as const };
  const { link } = await api.ok('POST /accounts/{account_id}/invitations', { path, body });
  return { api, path, secret: new URL(link ?? '').hash.slice(1) };
}

/** A person with a password, and how they are removed. */
async function withPassword() {
  const email = newEmail();
  const { api, path, secret } = await invite(email);
  const { session } = await joinByShownLink(running.url, { secret, password: PASSWORD });
  const theirs = { path: { ...path, person_id: session.person.person_id } };
  return { email, remove: () => api.ok('DELETE /accounts/{account_id}/members/{person_id}', theirs) };
}

/** Addresses that must not be told apart by somebody without the password. */
const ADDRESSES: Record<string, () => Promise<string>> = {
  'of nobody': async () => newEmail(),
  'of a person with a password': async () => (await withPassword()).email,
  'of a person who signs in with OpenID Connect only': async () => {
    const email = newEmail();
    await invite(email);
    const { client } = running.auth;
    const identity = { issuer: 'https://id.example', subject: randomUUID() };
    const request = { identity, verifiedEmail: email, name: 'Bo', join: undefined };
    await unaryCall(client.signInWithIdentity.bind(client), request, LONG);
    return email;
  },
  'of a removed person': async () => {
    const { email, remove } = await withPassword();
    await remove();
    return email;
  },
  'that is invited': async () => {
    const email = newEmail();
    await invite(email);
    return email;
  },
};

/** All that a client sees of a response, but for what differs in each. */
function shown({ status, body, headers }: { status: number; body: unknown; headers: Headers }): object {
  const { date, 'x-trace-id': traceId, ...others } = Object.fromEntries(headers);
  expect([date, traceId]).toEqual([expect.any(String), expect.any(String)]);
  return { status, body, headers: others };
}

it.each(Object.keys(ADDRESSES))(
  'a wrong password for an address %s gets the response for an unknown address, after the same work',
  async (kind) => {
    const email = (await ADDRESSES[kind]?.()) ?? '';
    const matches = vi.spyOn(running.console.dependencies.passwords, 'matches');
    const signIn = (address: string) =>
      anyone.call('POST /session', { body: { email: address, password: 'a wrong password' } });
    const unknown = shown(await signIn(newEmail()));
    expect(unknown).toMatchObject({
      status: 401,
      body: {
        error: { code: 'not_signed_in', message: 'The e-mail address or the password is wrong.', field: null },
      },
    });
    expect(shown(await signIn(email))).toEqual(unknown);
    // Passwords does the same work for a missing hash; see passwords.test.ts.
    const hash = kind.includes('person with') || kind.includes('removed') ? expect.any(String) : undefined;
    expect(matches.mock.calls).toEqual([
      ['a wrong password', undefined],
      ['a wrong password', hash],
    ]);
  },
);

it.each(Object.keys(ADDRESSES))('a reset of the password of an address %s gets the same response', async (kind) => {
  const email = (await ADDRESSES[kind]?.()) ?? '';
  const ask = (address: string) => anyone.call('POST /password-resets', { body: { email: address } });
  const unknown = shown(await ask(newEmail()));
  expect(unknown).toMatchObject({ status: 204, body: '' });
  expect(shown(await ask(email))).toEqual(unknown);
});

it.each(Object.keys(ADDRESSES))('a password for an invited address %s gets the same response', async (kind) => {
  const accept = async (address: string) => {
    const { secret } = await invite(address);
    const body = { secret, name: 'Eve', password: 'the password of a stranger' };
    const accepted = shown(await anyone.call('POST /invitations/accept', { body }));
    return { accepted, again: shown(await anyone.call('POST /invitations/accept', { body })), secret };
  };
  const unknown = await accept(newEmail());
  const { secret, ...shownOf } = await accept((await ADDRESSES[kind]?.()) ?? '');
  expect(shownOf).toEqual({ accepted: unknown.accepted, again: unknown.again });
  const found = await anyone.ok('POST /invitations/find', { body: { secret } });
  expect(found).toMatchObject({ person_exists: false });
});

it('a person accepts an invitation whose link somebody else has tried to use', async () => {
  const { email } = await withPassword();
  const { secret, path } = await invite(email);
  await anyone.ok('POST /invitations/accept', {
    body: { secret, name: 'Eve', password: 'the password of a stranger' },
  });
  const browser = browserOf(running.url, await anyone.call('POST /session', { body: { email, password: PASSWORD } }));
  const { person, memberships } = (await browser.ok('POST /invitations/accept', { body: { secret } })) ?? {};
  expect(person).toMatchObject({ email, name: 'Ana' });
  expect(memberships).toContainEqual(expect.objectContaining({ account_id: path.account_id }));
});

it('a removed person who signs in sees that they are in no account', async () => {
  const { email, remove } = await withPassword();
  await remove();
  const { memberships } = await anyone.ok('POST /session', { body: { email, password: PASSWORD } });
  expect(memberships).toEqual([]);
});
