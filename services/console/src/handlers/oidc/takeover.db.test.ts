import { randomUUID } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../../../testing/api-client.ts';
import { browserOf, joinByShownLink } from '../../../testing/join-by-link.ts';
import { RunningConsole } from '../../../testing/running-console.ts';

const PASSWORD = 'the password of a stranger';
const LONG = { deadlineMs: 20_000 };

let running: RunningConsole;
let anyone: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  anyone = new ApiClient(running.url, undefined);
});
afterAll(() => running.stop());

/** Somebody who registers an address, by a link that they were shown or were mailed. */
async function register(email: string, isMailed = false) {
  const accountId = await running.createAccount();
  const { api } = await running.signedIn('owner', accountId);
  const body = { email, role: 'developer' as const };
  const made = await api.ok('POST /accounts/{account_id}/invitations', { path: { account_id: accountId }, body });
  const secret = new URL(made.link ?? '').hash.slice(1);
  if (!isMailed) return (await joinByShownLink(running.url, { secret, password: PASSWORD })).browser;
  await running.ledger.pool.query('UPDATE auth.invitations SET mailed = true WHERE email = $1', [email]);
  const joined = await anyone.call('POST /invitations/accept', { body: { secret, name: 'Eve', password: PASSWORD } });
  expect(joined.status).toBe(200);
  return browserOf(running.url, joined);
}

/** The owner of the mailbox signs in with OpenID Connect. */
async function arrive(email: string, subject: string = randomUUID()) {
  const { auth } = running.console.dependencies;
  const identity = { issuer: 'https://id.example', subject };
  const request = { identity, verifiedEmail: email, name: 'Ana', join: undefined };
  const { person } = await unaryCall(auth.signInWithIdentity.bind(auth), request, LONG);
  return person;
}

const signIn = (email: string) => anyone.call('POST /session', { body: { email, password: PASSWORD } });

it('the owner of an address ends the sessions and the password of whoever registered it before', async () => {
  const email = `ceo-${randomUUID()}@example.com`;
  const stranger = await register(email);
  expect((await signIn(email)).status).toBe(200);
  const subject = randomUUID();
  expect(await arrive(email, subject)).toMatchObject({ email, hasPassword: false, hasIdentity: true });
  expect(await stranger.call('GET /session')).toMatchObject({ status: 200, body: null });
  expect(await signIn(email)).toMatchObject({ status: 401 });
  // Only the first sign-in does: the next one leaves their own sessions alone.
  const again = await arrive(email, subject);
  expect(again?.sessionGeneration).toBe(2);
});

it('a password that was set by a link in the mailbox stays, but sessions end', async () => {
  const email = `ana-${randomUUID()}@example.com`;
  const browser = await register(email, true);
  expect(await arrive(email)).toMatchObject({ hasPassword: true });
  expect(await browser.call('GET /session')).toMatchObject({ status: 200, body: null });
  expect((await signIn(email)).status).toBe(200);
});
