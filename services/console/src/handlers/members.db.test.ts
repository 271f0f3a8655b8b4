import { createHash } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testing/api-client.ts';
import { RunningConsole } from '../../testing/running-console.ts';

let running: RunningConsole;
beforeAll(async () => {
  running = await RunningConsole.start();
});
afterAll(() => running.stop());

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A new account with an owner. */
async function newAccount() {
  const accountId = await running.createAccount();
  return { accountId, path: { account_id: accountId }, owner: await running.signedIn('owner', accountId) };
}

describe('member', () => {
  it('is listed, changed and removed, and their keys are returned', async () => {
    const { accountId, path, owner } = await newAccount();
    const developer = await running.signedIn('developer', accountId);
    const { key } = await developer.api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'theirs' } });
    const { data } = await owner.api.ok('GET /accounts/{account_id}/members', { path });
    expect(data.map(({ email, role }) => [email, role])).toEqual(
      [
        [developer.email, 'developer'],
        [owner.email, 'owner'],
      ].sort(),
    );
    const theirs = { ...path, person_id: developer.personId };
    const changed = await owner.api.ok('PATCH /accounts/{account_id}/members/{person_id}', {
      path: theirs,
      body: { role: 'admin' },
    });
    expect(changed).toMatchObject({ person_id: developer.personId, role: 'admin' });
    const removed = await owner.api.ok('DELETE /accounts/{account_id}/members/{person_id}', { path: theirs });
    expect(removed.keys).toMatchObject([{ key_id: key.key_id, status: 'active' }]);
    expect(removed.management_keys).toEqual([]);
    expect((await owner.api.ok('GET /accounts/{account_id}/members', { path })).data).toHaveLength(1);
  });

  it('who made management keys leaves them behind, marked, for owners to delete', async () => {
    const { accountId, path, owner } = await newAccount();
    const leaver = await running.signedIn('owner', accountId);
    const body = { name: 'deploys', role: 'admin' as const, expires_at: inAnHour() };
    const { key, secret } = await leaver.api.ok('POST /accounts/{account_id}/management-keys', { path, body });
    const theirs = { path: { ...path, person_id: leaver.personId } };
    const removed = await owner.api.ok('DELETE /accounts/{account_id}/members/{person_id}', theirs);
    const created_by = { person_id: leaver.personId, name: leaver.email, removed: true };
    expect(key.created_by).toEqual({ ...created_by, removed: false });
    expect(removed).toEqual({ keys: [], management_keys: [{ ...key, created_by }] });
    const program = new ApiClient(running.url, { managementKey: secret });
    expect(await program.call('GET /accounts/{account_id}/keys', { path })).toMatchObject({ status: 200 });
    const { data } = await owner.api.ok('GET /accounts/{account_id}/management-keys', { path });
    expect(data).toMatchObject([{ status: 'active', created_by }]);
    await owner.api.ok('DELETE /accounts/{account_id}/management-keys/{management_key_id}', {
      path: { ...path, management_key_id: key.management_key_id },
    });
  });

  it('who is the last owner stays', async () => {
    const { path, owner } = await newAccount();
    const own = { ...path, person_id: owner.personId };
    const body = { role: 'admin' as const };
    expect(await owner.api.call('PATCH /accounts/{account_id}/members/{person_id}', { path: own, body })).toMatchObject(
      {
        status: 409,
        error: { code: 'conflict' },
      },
    );
    expect(await owner.api.call('DELETE /accounts/{account_id}/members/{person_id}', { path: own })).toMatchObject({
      status: 409,
    });
  });

  it('who is an owner is out of reach for admins', async () => {
    const { accountId, path, owner } = await newAccount();
    const { api, personId } = await running.signedIn('admin', accountId);
    const calls = [
      api.call('DELETE /accounts/{account_id}/members/{person_id}', { path: { ...path, person_id: owner.personId } }),
      api.call('PATCH /accounts/{account_id}/members/{person_id}', {
        path: { ...path, person_id: personId },
        body: { role: 'owner' },
      }),
    ];
    for (const refused of await Promise.all(calls)) expect(refused).toMatchObject({ status: 403 });
  });
});

describe('invitation', () => {
  it('is shown as a link whose secret accepts it, and withdrawn', async () => {
    const { path, owner } = await newAccount();
    const body = { email: `  New.Person-${newId()}@Example.com `, role: 'billing' as const };
    const made = await owner.api.ok('POST /accounts/{account_id}/invitations', { path, body });
    expect(made).toMatchObject({
      invitation: { email: body.email.trim().toLowerCase(), role: 'billing', invited_by: owner.email },
      mailed: false,
    });
    const days = (Date.parse(made.invitation.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(7, 1);
    const { origin, pathname, hash } = new URL(made.link ?? '');
    expect(`${origin}${pathname}`).toBe(`${running.url}/invitation`);
    const secretSha256 = createHash('sha256').update(hash.slice(1)).digest();
    const { client } = running.auth;
    const found = await unaryCall(client.getInvitation.bind(client), { secretSha256 }, { deadlineMs: 20_000 });
    expect(found.invitation?.invitationId).toBe(made.invitation.invitation_id);
    const listed = () => owner.api.ok('GET /accounts/{account_id}/members', { path });
    expect((await listed()).invitations).toEqual([made.invitation]);
    const { invitation_id } = made.invitation;
    await owner.api.ok('DELETE /accounts/{account_id}/invitations/{invitation_id}', {
      path: { ...path, invitation_id },
    });
    expect((await listed()).invitations).toEqual([]);
  });

  it('of somebody who is a member already is refused', async () => {
    const { path, owner } = await newAccount();
    const body = { email: owner.email, role: 'developer' as const };
    expect(await owner.api.call('POST /accounts/{account_id}/invitations', { path, body })).toMatchObject({
      status: 409,
      error: { code: 'conflict' },
    });
    const invalid = { email: 'nobody', role: 'developer' as const };
    expect(await owner.api.call('POST /accounts/{account_id}/invitations', { path, body: invalid })).toMatchObject({
      status: 400,
      error: { field: 'email' },
    });
  });
});

describe('management key', () => {
  it('works at the address for programs until it is deleted, and never at that for browsers', async () => {
    const { path, owner } = await newAccount();
    const body = { name: 'ci', role: 'developer' as const, expires_at: inAnHour() };
    const { key, secret } = await owner.api.ok('POST /accounts/{account_id}/management-keys', { path, body });
    expect(key).toMatchObject({ name: 'ci', role: 'developer', status: 'active', created_by: { name: owner.email } });
    expect(secret.endsWith(key.last_four)).toBe(true);
    const program = new ApiClient(running.url, { managementKey: secret });
    expect(await program.call('GET /accounts/{account_id}/keys', { path })).toMatchObject({ status: 200 });
    const browser = await fetch(`${running.url}/api/accounts/${path.account_id}/keys`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(browser.status).toBe(401);
    const deleted = await owner.api.ok('DELETE /accounts/{account_id}/management-keys/{management_key_id}', {
      path: { ...path, management_key_id: key.management_key_id },
    });
    expect(deleted.status).toBe('deleted');
    const { data } = await owner.api.ok('GET /accounts/{account_id}/management-keys', { path });
    expect(data).toMatchObject([{ management_key_id: key.management_key_id, status: 'deleted' }]);
  });

  it('is refused when it is expired or deleted, of another prefix, or sent in another way', async () => {
    const { path, owner } = await newAccount();
    const create = async (name: string) => {
      const body = { name, role: 'owner' as const, expires_at: inAnHour() };
      return owner.api.ok('POST /accounts/{account_id}/management-keys', { path, body });
    };
    const [active, expired, deleted] = [await create('active'), await create('expired'), await create('deleted')];
    const { pool } = running.console.dependencies;
    await pool.query('UPDATE auth.management_keys SET expires_at = clock_timestamp() WHERE management_key_id = $1', [
      expired.key.management_key_id,
    ]);
    await owner.api.ok('DELETE /accounts/{account_id}/management-keys/{management_key_id}', {
      path: { ...path, management_key_id: deleted.key.management_key_id },
    });
    const { data } = await owner.api.ok('GET /accounts/{account_id}/management-keys', { path });
    expect(data.map(({ name, status }) => [name, status])).toEqual([
      ['deleted', 'deleted'],
      ['expired', 'expired'],
      ['active', 'active'],
    ]);
    const { secret: apiKey } = await owner.api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'x' } });
    const call = async (headers: Record<string, string>, prefix = '/management/v1') => {
      const response = await fetch(`${running.url}${prefix}/accounts/${path.account_id}/keys`, { headers });
      const { error } = (await response.json()) as { error?: { code: string } };
      return [response.status, error?.code];
    };
    const refused = [401, 'not_signed_in'];
    expect(await call({ authorization: `Bearer ${active.secret}` })).toEqual([200, undefined]);
    for (const secret of [
      expired.secret,
      deleted.secret,
      apiKey,
      active.secret.replace(/^mk/, 'sk'),
      active.secret.replace(/^mk-tollgate/, 'mk-another'),
      active.secret.slice(0, -1),
      `${active.secret}x`,
      active.secret.toUpperCase(),
    ]) {
      expect(await call({ authorization: `Bearer ${secret}` })).toEqual(refused);
    }
    expect(await call({})).toEqual(refused);
    expect(await call({ authorization: active.secret })).toEqual(refused);
    expect(await call({ authorization: `Basic ${btoa(`${active.secret}:`)}` })).toEqual(refused);
    expect(await call({ 'x-api-key': active.secret })).toEqual(refused);
    expect(await call({ authorization: `Bearer ${active.secret}` }, '/api')).toEqual(refused);
    expect(await call({ cookie: `tollgate-session=${active.secret}` }, '/api')).toEqual(refused);
  });

  it.each([
    [{ name: 'x', role: 'developer', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', role: 'developer', expires_at: '2999-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', role: 'operator', expires_at: '2999-01-01T00:00:00Z' }, 'role'],
  ])('cannot be created with %j', async (body, field) => {
    const { path, owner } = await newAccount();
    const given = body as { name: string; role: 'developer'; expires_at: string };
    expect(await owner.api.call('POST /accounts/{account_id}/management-keys', { path, body: given })).toMatchObject({
      status: 400,
      error: { field },
    });
  });
});

describe('a developer of some projects', () => {
  it('sees and makes keys, requests and usage of these alone, at once', async () => {
    const accountId = await running.createAccount();
    await running.fund(accountId, 10_000n);
    const path = { account_id: accountId };
    const owner = (await running.signedIn('owner', accountId)).api;
    const { api, personId } = await running.signedIn('developer', accountId);
    const project = async (name: string) =>
      (await owner.ok('POST /accounts/{account_id}/projects', { path, body: { name } })).project_id;
    const [here, there] = [await project('here'), await project('there')];
    const make = async (projectId: string) =>
      (await api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'a key', project_id: projectId } })).key;
    const keys = [await make(here), await make(there)];
    await running.charge(
      accountId,
      ...keys.map(({ key_id: keyId, project_id: nodeId }) => ({
        ...{ keyId, costNanos: 10n },
        nodes: [{ nodeId, scope: 'project', name: 'p', caps: [] }],
      })),
    );
    const range = {
      start: new Date(Date.now() - 3_600_000).toISOString(),
      end: new Date(Date.now() + 60_000).toISOString(),
    };
    const seen = async () => {
      const [listed, requests, usage, projects] = await Promise.all([
        api.ok('GET /accounts/{account_id}/keys', { path, query: { status: 'all', limit: 10 } }),
        api.ok('GET /accounts/{account_id}/requests', { path, query: range }),
        api.ok('GET /accounts/{account_id}/usage', { path, query: { ...range, interval: 'day', group_by: 'project' } }),
        api.ok('GET /accounts/{account_id}/projects', { path, query: { limit: 10 } }),
      ]);
      return [listed, requests, usage, projects].map(({ data }) => data.length);
    };
    expect(await seen()).toEqual([2, 2, 2, 3]);
    const member = { ...path, person_id: personId };
    const changed = await owner.ok('PATCH /accounts/{account_id}/members/{person_id}', {
      path: member,
      body: { project_ids: [here] },
    });
    expect(changed).toMatchObject({ role: 'developer', project_ids: [here] });
    expect(await seen()).toEqual([1, 1, 1, 1]);
    const body = { name: 'another', project_id: there };
    const refused = await api.call('POST /accounts/{account_id}/keys', { path, body });
    expect(refused).toMatchObject({ status: 404 });
    await owner.ok('PATCH /accounts/{account_id}/members/{person_id}', { path: member, body: { project_ids: [] } });
    expect(await seen()).toEqual([2, 2, 2, 3]);
  });
});
