import { randomUUID } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newLink } from '@tollgate/common/secret-links';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { browserOf, joinByShownLink } from '../../testing/join-by-link.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const OLD = 'correct horse battery staple';
const NEW = 'another long password';
const LONG = { deadlineMs: 20_000 };

let running: RunningConsole;
let anyone: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  anyone = new ApiClient(running.url, undefined);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => running.stop());

/** A link with which an address joins a new account. */
async function invite(email: string): Promise<string> {
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('operator');
  const body = { email, role: 'owner' as const };
  const { link } = await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: accountId }, body });
  return new URL(link ?? '').hash.slice(1);
}

const signIn = (email: string, password: string) => anyone.call('POST /session', { body: { email, password } });
const changePassword = (browser: ApiClient, from: string, to: string) =>
  browser.call('PUT /person/password', { body: { current_password: from, new_password: to } });

/** A person whose password is OLD, in a browser. */
async function newPerson() {
  const email = `ana-${randomUUID()}@example.com`;
  const secret = await invite(email);
  const { browser, session } = await joinByShownLink(running.url, { secret, password: OLD });
  return { email, personId: session.person.person_id, browser };
}

/** Sets a password by a link, as the person does who reads their mailbox. */
async function reset(email: string, password: string): Promise<void> {
  const { url, secretSha256 } = newLink(running.url, 'reset');
  const { client } = running.auth;
  const request = { email, secretSha256, expiresAtMs: BigInt(Date.now() + 60_000) };
  await unaryCall(client.createPasswordReset.bind(client), request, LONG);
  const body = { secret: new URL(url).hash.slice(1), password };
  await anyone.ok('POST /password-resets/use', { body });
}

/** Holds whatever checks a password next once it is checked. @returns when it is held, and what lets it go on */
function holdNext(step: 'matches' | 'hash') {
  const { passwords } = running.console.dependencies;
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const original = passwords[step].bind(passwords) as (...args: string[]) => Promise<never>;
  vi.spyOn(passwords, step).mockImplementationOnce(async (...args: unknown[]) => {
    const result = await original(...(args as string[]));
    held.resolve();
    await release.promise;
    return result;
  });
  return { held: held.promise, release: release.resolve };
}

const CHANGES: Record<string, (person: Awaited<ReturnType<typeof newPerson>>) => Promise<unknown>> = {
  'changed password': ({ browser }) => changePassword(browser, OLD, NEW),
  'reset password': ({ email }) => reset(email, NEW),
};

it.each(Object.keys(CHANGES))('a sign-in by the old password does not survive a %s', async (kind) => {
  const person = await newPerson();
  const { held, release } = holdNext('matches');
  const signingIn = signIn(person.email, OLD);
  await held;
  await CHANGES[kind]?.(person);
  release();
  const signedIn = await signingIn;
  expect(signedIn).toMatchObject({ status: 401, error: { code: 'not_signed_in' } });
  expect(await browserOf(running.url, signedIn).call('GET /session')).toMatchObject({ status: 200, body: null });
  expect(await browserOf(running.url, signedIn).call('GET /person/sessions')).toMatchObject({ status: 401 });
  const now = browserOf(running.url, await signIn(person.email, NEW));
  const { data } = await now.ok('GET /person/sessions');
  expect(data.length).toBe(kind === 'changed password' ? 2 : 1);
});

it('a session that was inserted after the others were ended is of no use', async () => {
  const { email, personId, browser } = await newPerson();
  const { pool } = running.console.dependencies;
  const stale = browserOf(running.url, await signIn(email, OLD));
  const { rows } = await pool.query('DELETE FROM console.sessions WHERE person_id = $1 RETURNING *', [personId]);
  await reset(email, NEW);
  for (const row of rows) {
    const names = Object.keys(row);
    const values = names.map((_, index) => `$${index + 1}`);
    await pool.query(`INSERT INTO console.sessions (${names}) VALUES (${values})`, Object.values(row));
  }
  for (const each of [stale, browser]) {
    expect(await each.call('GET /session')).toMatchObject({ status: 200, body: null });
    expect(await each.call('PATCH /person', { body: { name: 'Eve' } })).toMatchObject({ status: 401 });
    expect(await each.call('GET /operator/accounts')).toMatchObject({ status: 401 });
    const secret = await invite(email);
    const accepted = await each.call('POST /invitations/accept', { body: { secret } });
    expect(accepted.status).toBeGreaterThanOrEqual(400);
  }
});

it('a change by the old password does not undo a reset', async () => {
  const { email, browser } = await newPerson();
  const { held, release } = holdNext('hash');
  const changing = changePassword(browser, OLD, 'the password of a thief');
  await held;
  await reset(email, NEW);
  release();
  expect(await changing).toMatchObject({ status: 409 });
  expect(await signIn(email, NEW)).toMatchObject({ status: 200 });
  expect(await signIn(email, 'the password of a thief')).toMatchObject({ status: 401 });
});

it('a sign-in with OpenID Connect that was verified before a reset does not survive it', async () => {
  const { email } = await newPerson();
  const { auth, sessions } = running.console.dependencies;
  const identity = { issuer: 'https://id.example', subject: randomUUID() };
  const request = { identity, verifiedEmail: email, name: '', join: undefined };
  const { person } = await unaryCall(auth.signInWithIdentity.bind(auth), request, LONG);
  if (person === undefined) throw new Error('nobody has signed in');
  await reset(email, NEW);
  let cookie = '';
  const response = { cookie: (name: string, value: string) => (cookie = `${name}=${value}`) };
  await sessions.begin(response as never, person, { ip: '127.0.0.1', userAgent: 'test' }, 'openid_connect');
  expect(await new ApiClient(running.url, { cookie }).call('GET /session')).toMatchObject({ status: 200, body: null });
});
