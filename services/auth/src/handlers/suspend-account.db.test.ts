import { newId } from '@tollgate/common/ids';
import { type KeyCache, sha256Hex } from '@tollgate/common/keys/index';
import { AccountStatus, KeyRefusal } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import type { AuthUnderTest } from '../../testing/auth-under-test.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;
let cache: KeyCache;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth, cache } = fixture);
});
afterAll(() => fixture?.stop());

async function setUp() {
  const account = await auth.createAccount();
  const keys = [await auth.createKey(account.accountId), await auth.createKey(account.accountId)];
  const kinds = async () => {
    const results = await Promise.all(
      keys.map(({ secret }) => auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag)),
    );
    return results.map((result) => (result?.$case === 'refused' ? result.value : result?.$case));
  };
  const cached = () =>
    Promise.all(keys.map(async ({ secret }) => (await cache.read(account.tag, sha256Hex(secret)))?.key.keyId));
  return { account, keys, kinds, cached };
}

describe('a suspended account', () => {
  it('has no good key until the suspension is lifted; a key deleted meanwhile stays dead', async () => {
    const { account, keys, kinds, cached } = await setUp();
    expect(await kinds()).toEqual(['active', 'active']);
    expect(await auth.suspend(account.accountId, 'unpaid')).toMatchObject({
      status: AccountStatus.SUSPENDED,
      suspensionReason: 'unpaid',
    });
    expect(await cached()).toEqual([undefined, undefined]);
    expect(await kinds()).toEqual([KeyRefusal.ACCOUNT_SUSPENDED, KeyRefusal.ACCOUNT_SUSPENDED]);
    expect(await cached()).toEqual([undefined, undefined]);
    await auth.deleteKey(keys[0]?.key.keyId ?? '');
    expect(await auth.resume(account.accountId)).toMatchObject({
      status: AccountStatus.ACTIVE,
      suspensionReason: undefined,
    });
    expect(await kinds()).toEqual([KeyRefusal.DELETED, 'active']);
  });

  it('may be suspended and resumed again and again, and takes another reason', async () => {
    const { account, kinds } = await setUp();
    await auth.suspend(account.accountId, 'unpaid');
    expect((await auth.suspend(account.accountId, 'abuse')).suspensionReason).toBe('abuse');
    expect((await auth.updateAccount(account.accountId, { name: 'Renamed' })).status).toBe(AccountStatus.SUSPENDED);
    await auth.resume(account.accountId);
    await auth.resume(account.accountId);
    expect(await kinds()).toEqual(['active', 'active']);
    await auth.suspend(account.accountId, 'unpaid');
    expect(await kinds()).toEqual([KeyRefusal.ACCOUNT_SUSPENDED, KeyRefusal.ACCOUNT_SUSPENDED]);
  });

  it('needs a reason, and to be there', async () => {
    const { account } = await setUp();
    const refused = { code: 3, details: expect.stringContaining('reason') };
    await expect(auth.suspend(account.accountId, '')).rejects.toMatchObject(refused);
    await expect(auth.suspend(account.accountId, 'x'.repeat(201))).rejects.toMatchObject(refused);
    await expect(auth.suspend(newId(), 'unpaid')).rejects.toMatchObject({ code: 5 });
    await expect(auth.resume(newId())).rejects.toMatchObject({ code: 5 });
    await expect(auth.resume('1')).rejects.toMatchObject({ code: 3 });
  });
});
