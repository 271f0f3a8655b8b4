import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { browserOf, joinByShownLink } from '../../testing/join-by-link.ts';
import { RunningConsole } from '../../testing/running-console.ts';

const PASSWORD = 'correct horse battery staple';

let running: RunningConsole;
let anyone: ApiClient;
let operator: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  anyone = new ApiClient(running.url, undefined);
  operator = (await running.signedIn('operator')).api;
});
afterAll(() => running.stop());

const range = () => ({
  start: new Date(Date.now() - 600_000).toISOString(),
  end: new Date(Date.now() + 600_000).toISOString(),
});

/** The entries about a person, oldest first. */
async function entriesOf(personId: string) {
  const { data } = await operator.ok('GET /operator/audit', { query: { ...range(), target_id: personId } });
  return data.reverse().map(({ action, actor, details }) => ({ action, actor: actor.name, ...details }));
}

it('sign-ins, refused ones and sessions that were ended by others are in the audit log', async () => {
  const email = `ana-${randomUUID()}@example.com`;
  const path = { account_id: await running.createAccount() };
  const { api } = await running.signedIn('owner', path.account_id);
  const invited = { path, body: { email, role: 'billing' as const } };
  const { link } = await api.ok('POST /accounts/{account_id}/invitations', invited);
  const secret = new URL(link ?? '').hash.slice(1);
  const { browser: first, session } = await joinByShownLink(running.url, { secret, password: PASSWORD });
  const personId = session.person.person_id;
  expect((await anyone.call('POST /session', { body: { email, password: 'wrong' } })).status).toBe(401);
  await vi.waitFor(async () => expect((await entriesOf(personId)).at(-1)?.action).toBe('session.refuse'), 10_000);
  const second = browserOf(running.url, await anyone.call('POST /session', { body: { email, password: PASSWORD } }));
  const signedIn = await first.ok('GET /session');
  if (signedIn === null) throw new Error('nobody is signed in');
  const { session_id } = signedIn;
  await second.ok('DELETE /person/sessions/{session_id}', { path: { session_id } });
  await anyone.call('POST /session', { body: { email, password: PASSWORD } });
  const passwords = { current_password: PASSWORD, new_password: 'another long password' };
  await second.ok('PUT /person/password', { body: passwords });
  const from = { ip_address: expect.any(String) };
  expect((await entriesOf(personId)).filter(({ action }) => action.startsWith('session.'))).toEqual([
    { action: 'session.begin', actor: email, method: 'password', device: expect.any(String), ...from },
    { action: 'session.refuse', actor: 'somebody', method: 'password', ...from },
    { action: 'session.begin', actor: email, method: 'password', device: expect.any(String), ...from },
    { action: 'session.end', actor: email, session_id, by: 'another session' },
    { action: 'session.begin', actor: email, method: 'password', device: expect.any(String), ...from },
    { action: 'session.end', actor: email, sessions: '1', by: 'a changed password' },
  ]);
});

it('exports are in the audit log of the account, also those of an operator who views it', async () => {
  const path = { account_id: await running.createAccount() };
  const owner = await running.signedIn('owner', path.account_id);
  const viewer = await running.signedIn('operator');
  await viewer.api.ok('PUT /session/view-as', { body: path });
  const query = { ...range(), format: 'csv' as const };
  for (const { api } of [owner, viewer]) {
    await api.ok('GET /accounts/{account_id}/requests/export', { path, query });
    await api.ok('GET /accounts/{account_id}/focus', { path, query: { month: '2026-01' } });
    await api.ok('GET /accounts/{account_id}/audit/export', { path, query });
  }
  const { data } = await owner.api.ok('GET /accounts/{account_id}/audit', { path, query: range() });
  const exported = data
    .filter(({ action }) => action.endsWith('.export'))
    .map(({ action, actor }) => [action, actor.name]);
  expect(exported.reverse()).toEqual([
    ['requests.export', owner.email],
    ['costs.export', owner.email],
    ['audit.export', owner.email],
    ['requests.export', viewer.email],
    ['costs.export', viewer.email],
    ['audit.export', viewer.email],
  ]);
});
