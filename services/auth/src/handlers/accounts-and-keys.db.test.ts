import { createHash } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { Pool } from '@tollgate/common/postgres/pool';
import { AccountStatus, KeyStatus } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import type { AuthUnderTest } from '../../testing/auth-under-test.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;
let pool: Pool;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth, pool } = fixture);
});
afterAll(() => fixture?.stop());

const call = { deadlineMs: 10_000 };
const list = (accountId: string, pageSize: number, pageToken: string) =>
  unaryCall(auth.client.listKeys.bind(auth.client), { accountId, pageSize, pageToken }, call);
const listAll = (pageSize: number, pageToken: string, text?: string) =>
  unaryCall(auth.client.listAccounts.bind(auth.client), { pageSize, pageToken, text, accountIds: [] }, call);
const get = (accountId: string) => unaryCall(auth.client.getAccount.bind(auth.client), { accountId }, call);

describe('accounts', () => {
  it('are created active with a tag, and found again', async () => {
    const account = await auth.createAccount('Acme Ltd');
    expect(account).toMatchObject({ name: 'Acme Ltd', status: AccountStatus.ACTIVE });
    expect(account.tag).toMatch(/^[0-9A-Za-z]{6}$/);
    expect((await get(account.accountId)).account).toEqual(account);
  });

  it('are created once per idempotency key, also by calls at the same time', async () => {
    const key = newId();
    const made = await Promise.all(Array.from({ length: 8 }, () => auth.createAccount('Once', key)));
    expect(new Set(made.map((account) => account.accountId)).size).toBe(1);
    expect((await auth.createAccount('Another name', key)).name).toBe('Once');
  });

  it('are listed in order of creation, page by page', async () => {
    const created: string[] = [];
    for (let count = 0; count < 5; count++) created.push((await auth.createAccount(`Listed ${count}`)).accountId);
    const seen: string[] = [];
    let token = '';
    do {
      const page = await listAll(2, token);
      expect(page.accounts.length).toBeLessThanOrEqual(2);
      seen.push(...page.accounts.map((account) => account.accountId));
      token = page.nextPageToken;
    } while (token !== '');
    expect(seen.filter((id) => created.includes(id))).toEqual(created);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('are found by a part of their name, literally, or by their id', async () => {
    const { accountId } = await auth.createAccount('Umbrella_Corp 100%');
    for (const text of ['umbrella', '_corp', '100%', accountId, accountId.toUpperCase()]) {
      expect((await listAll(10, '', text)).accounts.map((account) => account.accountId)).toEqual([accountId]);
    }
    expect((await listAll(10, '', 'umb%')).accounts).toEqual([]);
    await expect(listAll(10, '', ' ')).rejects.toMatchObject({ code: 3 });
  });

  it('are listed by their ids, without those unknown', async () => {
    const named = await Promise.all(['One', 'Two'].map((name) => auth.createAccount(name)));
    const ids = named.map(({ accountId }) => accountId);
    const request = { pageSize: 10, pageToken: '', accountIds: [...ids, newId()] };
    const { accounts } = await unaryCall(auth.client.listAccounts.bind(auth.client), request, call);
    expect(accounts.map(({ accountId }) => accountId)).toEqual(ids.toSorted());
    const wrong = unaryCall(auth.client.listAccounts.bind(auth.client), { ...request, accountIds: ['x'] }, call);
    await expect(wrong).rejects.toMatchObject({ code: 3, details: 'account_ids[0]: must be a UUID' });
  });

  it.each(['', '   ', 'x'.repeat(201), 'a\u0000b'])('are not created with the name %.10j', async (name) => {
    await expect(auth.createAccount(name)).rejects.toMatchObject({ code: 3 });
  });

  it('that are not there are NOT_FOUND, and bad ids and page sizes INVALID_ARGUMENT', async () => {
    await expect(get(newId())).rejects.toMatchObject({ code: 5 });
    await expect(get('1')).rejects.toMatchObject({ code: 3 });
    await expect(listAll(1_001, '')).rejects.toMatchObject({ code: 3 });
    await expect(listAll(1, 'x')).rejects.toMatchObject({ code: 3 });
  });
});

describe('keys', () => {
  it('are shown once and stored only as their hash', async () => {
    const account = await auth.createAccount();
    const expiresAtMs = BigInt(Date.now() + 3_600_000);
    const { key, secret } = await auth.createKey(account.accountId, {
      name: 'CI',
      expiresAtMs,
      allowedModels: ['m1', 'm2'],
    });
    expect(secret.startsWith(`sk-tollgate-${account.tag}`)).toBe(true);
    expect(key).toMatchObject({
      accountId: account.accountId,
      name: 'CI',
      status: KeyStatus.ACTIVE,
      displayPrefix: `sk-tollgate-${account.tag}`,
      lastFour: secret.slice(-4),
      expiresAtMs,
      deletedAtMs: 0n,
      allowedModels: ['m1', 'm2'],
    });
    const { rows } = await pool.query('SELECT k::text AS row, key_sha256 FROM auth.keys k WHERE key_id = $1', [
      key.keyId,
    ]);
    expect(rows[0].key_sha256).toEqual(createHash('sha256').update(secret).digest());
    // Even eight characters of the secret in a row would be a leak.
    const hidden = secret.slice(key.displayPrefix.length);
    for (let at = 0; at + 8 <= hidden.length; at++) expect(rows[0].row).not.toContain(hidden.slice(at, at + 8));
  });

  it('are listed newest first with the deleted ones, page by page, and only to their account', async () => {
    const account = await auth.createAccount();
    const other = await auth.createAccount();
    const made: string[] = [];
    for (let count = 0; count < 3; count++) made.unshift((await auth.createKey(account.accountId)).key.keyId);
    await auth.deleteKey(made[1] ?? '');
    const first = await list(account.accountId, 2, '');
    const second = await list(account.accountId, 2, first.nextPageToken);
    expect([...first.keys, ...second.keys].map((key) => key.keyId)).toEqual(made);
    expect(first.keys[1]?.status).toBe(KeyStatus.DELETED);
    expect(second.nextPageToken).toBe('');
    expect((await list(other.accountId, 0, '')).keys).toEqual([]);
  });

  it('are refused with a past expiry, too many models, a missing name or account', async () => {
    const { accountId } = await auth.createAccount();
    const refused = { code: 3 };
    await expect(auth.createKey(accountId, { expiresAtMs: 1n })).rejects.toMatchObject(refused);
    await expect(auth.createKey(accountId, { name: '' })).rejects.toMatchObject(refused);
    await expect(auth.createKey(accountId, { allowedModels: [''] })).rejects.toMatchObject(refused);
    const many = Array.from({ length: 201 }, (_, index) => `m${index}`);
    await expect(auth.createKey(accountId, { allowedModels: many })).rejects.toMatchObject(refused);
    await expect(auth.createKey(newId())).rejects.toMatchObject({ code: 5 });
  });
});
