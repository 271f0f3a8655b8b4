import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { FindKeysRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import type { AuthUnderTest } from '../../testing/auth-under-test.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth } = fixture);
});
afterAll(() => fixture?.stop());

async function find(accountId: string, by: FindKeysRequest['by']): Promise<string[]> {
  const { keys } = await unaryCall(auth.client.findKeys.bind(auth.client), { accountId, by }, { deadlineMs: 10_000 });
  return keys.map(({ keyId }) => keyId);
}
const ids = (...keyIds: string[]) => ({ $case: 'keyIds' as const, value: { keyIds } });

/** An account with keys of the given names, oldest first. */
async function accountWith<const Names extends readonly string[]>(...names: Names) {
  const { accountId } = await auth.createAccount();
  const keys: string[] = [];
  for (const name of names) keys.push((await auth.createKey(accountId, { name })).key.keyId);
  return { accountId, keys };
}

/** All matching keys, in pages of two. */
async function list(accountId: string, text: string): Promise<string[]> {
  const found: string[] = [];
  let pageToken = '';
  do {
    const request = { accountId, pageSize: 2, pageToken, text };
    const page = await unaryCall(auth.client.listKeys.bind(auth.client), request, { deadlineMs: 10_000 });
    found.push(...page.keys.map(({ keyId }) => keyId));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
}

describe('keys are listed by a text', () => {
  it('in their name, in any case and literally, newest first, deleted ones too, over pages', async () => {
    const { accountId, keys } = await accountWith('CI Runner', 'ci_100%', 'laptop', 'old ci');
    const [runner = '', percent = '', , old = ''] = keys;
    await auth.deleteKey(old);
    expect(await list(accountId, 'ci')).toEqual([old, percent, runner]);
    expect(await list(accountId, 'RUN')).toEqual([runner]);
    expect(await list(accountId, '_100%')).toEqual([percent]);
    expect(await list(accountId, 'c%r')).toEqual([]);
    expect(await list(accountId, "'")).toEqual([]);
  });

  it('that is their last four characters or their id', async () => {
    const { accountId } = await accountWith('a', 'b');
    const { key } = await auth.createKey(accountId, { name: 'wanted' });
    expect(await list(accountId, key.lastFour.toUpperCase())).toContain(key.keyId);
    expect(await list(accountId, key.keyId)).toEqual([key.keyId]);
  });

  it('only in the account', async () => {
    const one = await accountWith('shared name');
    const other = await accountWith('shared name');
    expect(await list(one.accountId, 'shared name')).toEqual(one.keys);
    await expect(list(other.accountId, '')).rejects.toMatchObject({ code: 3 });
    await expect(list(other.accountId, 'x'.repeat(201))).rejects.toMatchObject({ code: 3 });
  });
});

describe('keys are found by their ids', () => {
  it('newest first, deleted ones too, without those unknown or of other accounts', async () => {
    const { accountId, keys } = await accountWith('a', 'b', 'c');
    const other = await accountWith('d');
    const [first = '', , last = ''] = keys;
    await auth.deleteKey(first);
    expect(await find(accountId, ids(first, ...other.keys, newId(), last))).toEqual([last, first]);
    expect(await find(accountId, ids())).toEqual([]);
    await expect(find('', ids(last))).rejects.toMatchObject({ code: 3, details: 'account_id: must be set' });
  });

  it('at most 1,000, which must be ids', async () => {
    const { accountId } = await accountWith();
    const many = Array.from({ length: 1_001 }, newId);
    await expect(find(accountId, ids(...many))).rejects.toMatchObject({ code: 3, details: 'key_ids: at most 1000' });
    await expect(find(accountId, ids(newId(), 'x'))).rejects.toMatchObject({
      code: 3,
      details: expect.stringMatching(/^key_ids\[1\]/),
    });
  });
});

describe('keys of all accounts are found by a text', () => {
  const byText = (text: string, accountId = '') => find(accountId, { $case: 'text', value: text });

  it('at the beginning of their name, in any case and literally, newest first', async () => {
    const one = await accountWith('Quarterly_50%', 'not quarterly');
    const two = await accountWith('quarterly report');
    expect(await byText('QUARTERLY')).toEqual([...two.keys, one.keys[0]]);
    expect(await byText('quarterly_50%')).toEqual([one.keys[0]]);
    expect(await byText('quarterly%')).toEqual([]);
  });

  it('that is their last four characters or their id', async () => {
    const { accountId } = await accountWith('a');
    const { key } = await auth.createKey(accountId, { name: 'wanted by id' });
    expect(await byText(key.keyId)).toEqual([key.keyId]);
    expect(await byText(key.lastFour)).toContain(key.keyId);
  });

  it('only without an account', async () => {
    const { accountId } = await accountWith('a');
    await expect(byText('a', accountId)).rejects.toMatchObject({
      code: 3,
      details: 'account_id: must be empty with text',
    });
    await expect(byText('')).rejects.toMatchObject({ code: 3 });
  });
});
