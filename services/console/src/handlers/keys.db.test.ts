import { createHash } from 'node:crypto';
import { newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../testing/api-client.ts';
import { RunningConsole } from '../../testing/running-console.ts';

let running: RunningConsole;
let accountId: string;
let owner: ApiClient;
beforeAll(async () => {
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  owner = (await running.signedIn('owner', accountId)).api;
});
afterAll(() => running.stop());

const create = async (api: ApiClient, body: { name: string } & Record<string, unknown>) =>
  api.ok('POST /accounts/{account_id}/keys', { path: { account_id: accountId }, body });

describe('key', () => {
  it('is created with its attributes, and its value is shown once', async () => {
    const attributes = {
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      allowed_models: ['small'],
      caps: { day: '1.5', week: null, month: null, total: '100' },
      limits: { requests_per_minute: 60, tokens_per_minute: null, open_requests: 4 },
      tags: { team: 'search' },
    };
    const { key, secret } = await create(owner, { name: 'ci', ...attributes });
    expect(secret.endsWith(key.last_four)).toBe(true);
    const read = await owner.ok('GET /accounts/{account_id}/keys/{key_id}', {
      path: { account_id: accountId, key_id: key.key_id },
    });
    expect(read).toMatchObject({ ...attributes, name: 'ci', status: 'active', spent_this_month: '0' });
    expect(read.cap_usage).toMatchObject([
      { period: 'day', limit: '1.5', spent: '0', left: '1.5' },
      { period: 'total', limit: '100', resets_at: null },
    ]);
    expect(JSON.stringify(read)).not.toContain(secret);
  });

  it('is changed where it is given a value, and stays as it is elsewhere', async () => {
    const { key } = await create(owner, {
      name: 'old',
      tags: { team: 'a' },
      caps: { day: '1', week: null, month: null, total: null },
    });
    const path = { account_id: accountId, key_id: key.key_id };
    const changed = await owner.ok('PATCH /accounts/{account_id}/keys/{key_id}', {
      path,
      body: { name: 'new', caps: { day: null, week: null, month: '2.25', total: null } },
    });
    expect(changed).toMatchObject({ name: 'new', tags: { team: 'a' }, caps: { day: null, month: '2.25' } });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x', caps: { day: '12345678901', week: null, month: null, total: null } }, 'caps.day'],
    [{ name: 'x', caps: { day: '1234567890', week: null, month: null, total: null } }, 'caps.day'],
    [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [
      { name: 'x', limits: { requests_per_minute: 0, tokens_per_minute: null, open_requests: null } },
      'limits.requests_per_minute',
    ],
    [{ name: 'x', colour: 'red' }, 'colour'],
  ])('cannot be created with %j, and the error names the field', async (body, field) => {
    const refused = await owner.call('POST /accounts/{account_id}/keys', { path: { account_id: accountId }, body });
    expect(refused).toMatchObject({ status: 400, error: { code: 'invalid_request', field } });
  });

  it('is deleted for good, and no longer listed among those in use', async () => {
    const { key } = await create(owner, { name: 'gone' });
    const path = { account_id: accountId, key_id: key.key_id };
    const deleted = await owner.ok('DELETE /accounts/{account_id}/keys/{key_id}', { path });
    expect(deleted).toMatchObject({ key: { status: 'deleted' }, confirmations: [] });
    const inUse = await owner.ok('GET /accounts/{account_id}/keys', { path: { account_id: accountId } });
    expect(inUse.data.map(({ key_id }) => key_id)).not.toContain(key.key_id);
    const all = await owner.ok('GET /accounts/{account_id}/keys', {
      path: { account_id: accountId },
      query: { status: 'all' },
    });
    expect(all.data.find(({ key_id }) => key_id === key.key_id)).toMatchObject({ status: 'deleted' });
    const changed = await owner.call('PATCH /accounts/{account_id}/keys/{key_id}', { path, body: { name: 'x' } });
    expect(changed).toMatchObject({ status: 409, error: { code: 'conflict' } });
  });

  it('is found by its name, its last four characters or its id', async () => {
    const { key } = await create(owner, { name: 'Nightly Build' });
    const idsOf = async (q: string, status: 'active' | 'all' = 'active') => {
      const query = { q, status };
      const { data } = await owner.ok('GET /accounts/{account_id}/keys', { path: { account_id: accountId }, query });
      return data.map(({ key_id }) => key_id);
    };
    for (const q of ['nightly', ' BUILD ', key.key_id]) expect(await idsOf(q)).toEqual([key.key_id]);
    expect(await idsOf(key.last_four)).toContain(key.key_id);
    expect(await idsOf('nightly%')).toEqual([]);
    const path = { account_id: accountId, key_id: key.key_id };
    await owner.ok('DELETE /accounts/{account_id}/keys/{key_id}', { path });
    expect(await idsOf('nightly')).toEqual([]);
    expect(await idsOf('nightly', 'all')).toEqual([key.key_id]);
  });

  it('has a new value after a rotation, and the previous one for a while', async () => {
    const { key, secret } = await create(owner, { name: 'turning' });
    const path = { account_id: accountId, key_id: key.key_id };
    const rotated = await owner.ok('POST /accounts/{account_id}/keys/{key_id}/rotate', {
      path,
      body: { overlap_seconds: 60, idempotency_key: newId() },
    });
    expect(rotated.secret).not.toBe(secret);
    const until = Date.parse(rotated.key.previous_value_until ?? '');
    expect(until).toBeGreaterThan(Date.now() + 50_000);
    expect(until).toBeLessThan(Date.now() + 70_000);
  });

  it('of another account is not found', async () => {
    const other = await running.createAccount('Other');
    const { key } = await running.auth.createKey(other);
    for (const keyId of [key.keyId, newId()]) {
      const path = { account_id: accountId, key_id: keyId };
      const refused = await owner.call('GET /accounts/{account_id}/keys/{key_id}', { path });
      expect(refused).toMatchObject({ status: 404, error: { code: 'not_found' } });
    }
  });
});

describe('list of keys', () => {
  it('shows what each has spent this month, deleted ones too', async () => {
    const account = await running.createAccount('Spending');
    const { api } = await running.signedIn('owner', account);
    await running.fund(account, 1_000_000n);
    const caps = { day: '0.001', week: null, month: null, total: null };
    const path = { account_id: account };
    const { key: spent } = await api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'spent', caps } });
    const { key: gone } = await api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'gone' } });
    const { key_id } = gone;
    await running.charge(account, { keyId: spent.key_id, costNanos: 400n }, { keyId: key_id, costNanos: 25n });
    await api.ok('DELETE /accounts/{account_id}/keys/{key_id}', { path: { ...path, key_id } });
    const { data } = await api.ok('GET /accounts/{account_id}/keys', { path, query: { status: 'all' } });
    expect(data.map((key) => [key.name, key.spent_this_month])).toEqual([
      ['gone', '0.000000025'],
      ['spent', '0.0000004'],
    ]);
  });

  it('continues with its cursor, newest first', async () => {
    const account = await running.createAccount('Pages');
    const { api } = await running.signedIn('admin', account);
    const created: string[] = [];
    for (let count = 0; count < 5; count++) created.push((await running.auth.createKey(account)).key.keyId);
    const listed: string[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } = cursor === null ? { limit: 2 } : { limit: 2, cursor };
      const page = await api.ok('GET /accounts/{account_id}/keys', { path: { account_id: account }, query });
      listed.push(...page.data.map(({ key_id }) => key_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(listed).toEqual(created.reverse());
  });

  it('counts a new cap from the start of its period, before a request has used it', async () => {
    const account = await running.createAccount('New cap');
    const { api } = await running.signedIn('owner', account);
    const path = { account_id: account };
    const { key } = await api.ok('POST /accounts/{account_id}/keys', { path, body: { name: 'capped later' } });
    await running.fund(account, 1_000n);
    await running.charge(account, { keyId: key.key_id, costNanos: 30n });
    const caps = { day: '0.0000001', week: null, month: '0.000001', total: '0.00001' };
    const keyPath = { ...path, key_id: key.key_id };
    await api.ok('PATCH /accounts/{account_id}/keys/{key_id}', { path: keyPath, body: { caps } });
    const read = await api.ok('GET /accounts/{account_id}/keys/{key_id}', { path: keyPath });
    const spent = { spent: '0.00000003', held: '0' };
    expect(read.cap_usage).toMatchObject([
      { period: 'day', left: '0.00000007', ...spent },
      { period: 'month', left: '0.00000097', ...spent },
      { period: 'total', left: '0.00000997', ...spent },
    ]);
  });

  it('leaves expired keys of the playground out, unlike other expired ones', async () => {
    const account = await running.createAccount('Expired');
    const { api } = await running.signedIn('owner', account);
    const soon = { expiresAtMs: BigInt(Date.now() + 300) };
    const expired = await running.auth.createKey(account, { ...soon });
    await running.auth.createKey(account, { ...soon, tags: { purpose: 'playground' } });
    await expect
      .poll(async () => (await api.ok('GET /accounts/{account_id}/keys', { path: { account_id: account } })).data)
      .toMatchObject([{ key_id: expired.key.keyId, status: 'expired' }]);
  });
});

describe('leaked key', () => {
  it('is found by the hash of its value, and by its last four characters', async () => {
    const { key, secret } = await create(owner, { name: 'leaked' });
    const sha256 = createHash('sha256').update(secret).digest('hex');
    const path = { account_id: accountId };
    for (const body of [{ sha256 }, { last_four: secret.slice(-4) }]) {
      const { data } = await owner.ok('POST /accounts/{account_id}/keys/find', { path, body });
      expect(data.map(({ key_id }) => key_id)).toContain(key.key_id);
    }
    const none = await owner.ok('POST /accounts/{account_id}/keys/find', { path, body: { sha256: '0'.repeat(64) } });
    expect(none.data).toEqual([]);
  });

  it('of another account is found by operators only, with its account, in which they delete it', async () => {
    const elsewhere = await running.createAccount('Elsewhere');
    const { secret, key } = await running.auth.createKey(elsewhere);
    const path = { account_id: accountId };
    const operator = (await running.signedIn('operator')).api;
    const sha256 = createHash('sha256').update(secret).digest('hex');
    for (const body of [{ sha256 }, { last_four: secret.slice(-4) }]) {
      expect((await owner.ok('POST /accounts/{account_id}/keys/find', { path, body })).data).toEqual([]);
      const { data } = await operator.ok('POST /accounts/{account_id}/keys/find', { path, body });
      expect(data).toMatchObject([{ key_id: key.keyId, account_id: elsewhere, account_name: 'Elsewhere' }]);
    }
    const found = { account_id: elsewhere, key_id: key.keyId };
    const deleted = await operator.ok('DELETE /accounts/{account_id}/keys/{key_id}', { path: found });
    expect(deleted.key.status).toBe('deleted');
  });
});

describe('developer', () => {
  it('sees and changes the keys they made, and no others', async () => {
    const { api, personId } = await running.signedIn('developer', accountId);
    await create(owner, { name: 'not theirs' });
    const { key } = await create(api, { name: 'theirs' });
    expect(key.created_by?.person_id).toBe(personId);
    const { data } = await api.ok('GET /accounts/{account_id}/keys', { path: { account_id: accountId } });
    expect(data.map(({ name }) => name)).toEqual(['theirs']);
  });
});
