import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { browserOf, joinByShownLink } from '../../testing/join-by-link.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const PASSWORD = 'correct horse battery staple';

let running: RunningConsole;
let anyone: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  anyone = new ApiClient(running.url, undefined);
});
afterAll(() => running.stop());

/** A new person with a password, who has accepted an invitation. */
async function newPerson(role: 'owner' | 'developer' = 'owner') {
  const accountId = await running.createAccount();
  const inviter = await running.signedIn('operator');
  const email = `ana-${randomUUID()}@example.com`;
  const path = { account_id: accountId };
  const { link } = await inviter.api.ok('POST /accounts/{account_id}/invitations', { path, body: { email, role } });
  const secret = new URL(link ?? '').hash.slice(1);
  const found = await anyone.ok('POST /invitations/find', { body: { secret } });
  expect(found).toMatchObject({ email, account_name: 'Acme', role, invited_by: inviter.email, person_exists: false });
  const { browser, session } = await joinByShownLink(running.url, { secret, password: PASSWORD });
  expect(session).toMatchObject({ person: { email, name: 'Ana' } });
  return { accountId, email, secret, browser };
}

describe('invitation', () => {
  it('makes a new person a member, signed in, and works once', async () => {
    const { accountId, email, secret, browser } = await newPerson('developer');
    expect(await browser.ok('GET /session')).toMatchObject({
      person: { email, is_operator: false, has_password: true },
      memberships: [{ account_id: accountId, account_name: 'Acme', role: 'developer' }],
      view_as: null,
    });
    expect(await anyone.call('POST /invitations/find', { body: { secret } })).toMatchObject({ status: 404 });
    const again = { secret, name: 'Eve', password: PASSWORD };
    expect(await anyone.call('POST /invitations/accept', { body: again })).toMatchObject({ status: 404 });
  });
});

describe('signing in', () => {
  it('takes the right password, and has one error for a wrong one and an unknown address', async () => {
    const { email } = await newPerson();
    const signedIn = await anyone.call('POST /session', { body: { email: email.toUpperCase(), password: PASSWORD } });
    expect(signedIn).toMatchObject({ status: 200, body: { person: { email } } });
    expect(signedIn.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Strict/);
    expect(await browserOf(running.url, signedIn).ok('GET /session')).toMatchObject({ person: { email } });
    const wrong = await anyone.call('POST /session', { body: { email, password: 'wrong' } });
    const unknown = await anyone.call('POST /session', { body: { email: 'nobody@example.com', password: 'wrong' } });
    expect(wrong).toMatchObject({ status: 401, error: { code: 'not_signed_in' } });
    expect(unknown.error).toEqual(wrong.error);
  });

  it('is refused after too many wrong passwords of an address', async () => {
    const { email } = await newPerson();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      statuses.push((await anyone.call('POST /session', { body: { email, password: 'wrong' } })).status);
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
    expect(statuses.at(-1)).toBe(429);
  });

  it('needs a request of the console itself', async () => {
    const response = await fetch(`${running.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: JSON.stringify({ email: 'a@example.com', password: 'x' }),
    });
    expect(response.status).toBe(403);
  });
});

describe('person', () => {
  it('lists and ends their sessions, and signs out', async () => {
    const { email, browser } = await newPerson();
    const second = browserOf(running.url, await anyone.call('POST /session', { body: { email, password: PASSWORD } }));
    const { data } = await browser.ok('GET /person/sessions');
    expect(data.map(({ current }) => current).sort()).toEqual([false, true]);
    const other = data.find(({ current }) => !current)?.session_id ?? '';
    await browser.ok('DELETE /person/sessions/{session_id}', { path: { session_id: other } });
    expect(await second.call('GET /session')).toMatchObject({ status: 200, body: null });
    const again = await browser.call('DELETE /person/sessions/{session_id}', { path: { session_id: other } });
    expect(again).toMatchObject({ status: 404 });
    await browser.ok('DELETE /session');
    expect(await browser.call('GET /session')).toMatchObject({ status: 200, body: null });
  });

  it('changes their name and password, which ends their other sessions', async () => {
    const { email, browser } = await newPerson();
    expect(await browser.ok('PATCH /person', { body: { name: 'Ana B.' } })).toMatchObject({
      person: { name: 'Ana B.' },
    });
    const other = browserOf(running.url, await anyone.call('POST /session', { body: { email, password: PASSWORD } }));
    const wrong = { current_password: 'wrong', new_password: 'another long password' };
    expect(await browser.call('PUT /person/password', { body: wrong })).toMatchObject({
      status: 400,
      error: { field: 'current_password' },
    });
    await browser.ok('PUT /person/password', { body: { ...wrong, current_password: PASSWORD } });
    expect(await other.call('GET /session')).toMatchObject({ status: 200, body: null });
    expect(await browser.ok('GET /session')).not.toBeNull();
    const old = await anyone.call('POST /session', { body: { email, password: PASSWORD } });
    expect(old.status).toBe(401);
    const now = await anyone.call('POST /session', { body: { email, password: wrong.new_password } });
    expect(now.status).toBe(200);
  });

  it('gets no hint whether an address is known when asking for a reset', async () => {
    const { email } = await newPerson();
    for (const address of [email, 'nobody@example.com']) {
      expect(await anyone.call('POST /password-resets', { body: { email: address } })).toMatchObject({ status: 204 });
    }
    const body = { secret: 'x'.repeat(43), password: PASSWORD };
    expect(await anyone.call('POST /password-resets/use', { body })).toMatchObject({ status: 404 });
  });
});

describe('viewing an account', () => {
  it('shows it as its members see it, changes nothing, and is audited', async () => {
    const accountId = await running.createAccount('Viewed');
    const { api } = await running.signedIn('operator');
    const path = { account_id: accountId };
    expect(await api.ok('PUT /session/view-as', { body: path })).toMatchObject({
      view_as: { account_id: accountId, account_name: 'Viewed' },
    });
    expect(await api.call('GET /accounts/{account_id}/keys', { path })).toMatchObject({ status: 200 });
    expect(await api.call('POST /accounts/{account_id}/keys', { path, body: { name: 'x' } })).toMatchObject({
      status: 403,
    });
    expect(await api.call('GET /operator/accounts')).toMatchObject({ status: 403 });
    expect(await api.ok('PUT /session/view-as', { body: { account_id: null } })).toMatchObject({ view_as: null });
    const range = {
      start: new Date(Date.now() - 60_000).toISOString(),
      end: new Date(Date.now() + 60_000).toISOString(),
    };
    const { data } = await api.ok('GET /accounts/{account_id}/audit', { path, query: range });
    expect(data.map(({ action }) => action)).toContain('account.view');
  });

  it('is for operators', async () => {
    const { accountId, browser } = await newPerson();
    expect(await browser.call('PUT /session/view-as', { body: { account_id: accountId } })).toMatchObject({
      status: 403,
    });
  });
});
