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
const text = (value: string) => ({ $case: 'text' as const, value });
const ids = (...keyIds: string[]) => ({ $case: 'keyIds' as const, value: { keyIds } });

/** An account with keys of the given names, oldest first. */
async function accountWith<const Names extends readonly string[]>(...names: Names) {
  const { accountId } = await auth.createAccount();
  const keys: string[] = [];
  for (const name of names) keys.push((await auth.createKey(accountId, { name })).key.keyId);
  return { accountId, keys };
}

describe('keys are found by a text', () => {
  it('in their name, in any case and literally, those that are deleted last', async () => {
    const { accountId, keys } = await accountWith('CI Runner', 'ci_100%', 'laptop', 'old ci');
    const [runner = '', percent = '', , old = ''] = keys;
    await auth.deleteKey(old);
    expect(await find(accountId, text('ci'))).toEqual([percent, runner, old]);
    expect(await find(accountId, text('RUN'))).toEqual([runner]);
    expect(await find(accountId, text('_100%'))).toEqual([percent]);
    expect(await find(accountId, text('c%r'))).toEqual([]);
    expect(await find(accountId, text("'"))).toEqual([]);
  });

  it('that is their last four characters or their id', async () => {
    const { accountId } = await accountWith('a', 'b');
    const { key } = await auth.createKey(accountId, { name: 'wanted' });
    expect(await find(accountId, text(key.lastFour.toUpperCase()))).toContain(key.keyId);
    expect(await find(accountId, text(key.keyId))).toEqual([key.keyId]);
  });

  it('only in the account', async () => {
    const one = await accountWith('shared name');
    const other = await accountWith('shared name');
    expect(await find(one.accountId, text('shared name'))).toEqual(one.keys);
    await expect(find('', text('shared name'))).rejects.toMatchObject({ code: 3, details: 'account_id: must be set' });
    await expect(find(other.accountId, text(''))).rejects.toMatchObject({ code: 3 });
    await expect(find(other.accountId, text('x'.repeat(201)))).rejects.toMatchObject({ code: 3 });
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
