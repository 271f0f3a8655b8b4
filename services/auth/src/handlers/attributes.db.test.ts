import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { sha256Hex } from '@tollgate/common/keys/index';
import { type ApiKey, AppliedCaps, type KeyUse, type UpdateKeyRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { type AuthUnderTest, required } from '../../testing/auth-under-test.ts';

const CALL = { deadlineMs: 10_000 };

let fixture: AuthFixture;
let auth: AuthUnderTest;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth } = fixture);
});
afterAll(() => fixture?.stop());

const limits = { requestsPerMinute: 60n, tokensPerMinute: 1_000_000_000n, openRequests: 1_000_000 };
const others = { requestsPerMinute: undefined, tokensPerMinute: 5n, openRequests: undefined };
const LONGEST_TAG = `a${'._-/:9Z'.repeat(9)}`;

async function listed({ accountId, keyId }: ApiKey): Promise<ApiKey> {
  const request = { accountId, pageSize: 0, pageToken: '' };
  const { keys } = await unaryCall(auth.client.listKeys.bind(auth.client), request, CALL);
  return required(keys.find((key) => key.keyId === keyId));
}

describe('the attributes of a key', () => {
  it('are stored at its creation, listed, and returned with it', async () => {
    const account = await auth.createAccount();
    const tags = { team: 'search', [LONGEST_TAG]: 'é'.repeat(256), empty: '' };
    const { key, secret } = await auth.createKey(account.accountId, { limits, tags });
    expect(key).toMatchObject({ limits, tags });
    expect(await listed(key)).toEqual(key);
    await auth.updateAccount(account.accountId, { limits: others });
    const result = await auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag);
    expect(result).toMatchObject({ $case: 'active', value: { limits, tags, accountLimits: others } });
  });

  it('change one by one, and what is not named stays', async () => {
    const { accountId } = await auth.createAccount();
    const caps = { dayNanos: 5n, monthNanos: undefined, totalNanos: undefined };
    const made = { limits, caps, tags: { team: 'search' }, allowedModels: ['m'] };
    const { key } = await auth.createKey(accountId, made);
    const expiresAtMs = BigInt(Date.now() + 3_600_000);
    const steps: [Parameters<typeof UpdateKeyRequest.fromPartial>[0], Partial<ApiKey>][] = [
      [{ name: 'renamed' }, { name: 'renamed' }],
      [{ expiresAtMs }, { expiresAtMs }],
      [{ allowedModels: { ids: ['m1', 'm2'] } }, { allowedModels: ['m1', 'm2'] }],
      [{ limits: others }, { limits: others }],
      [{ tags: { tags: { cost: '7' } } }, { tags: { cost: '7' } }],
      [{ caps: {} }, { caps: undefined, appliedCaps: AppliedCaps.fromPartial({}) }],
      [{ limits: {} }, { limits: undefined }],
      [
        { allowedModels: {}, tags: {}, expiresAtMs: 0n },
        { allowedModels: [], tags: {}, expiresAtMs: 0n },
      ],
    ];
    let expected = key;
    for (const [named, changed] of steps) {
      expected = { ...expected, ...changed };
      expect(await auth.updateKey(key.keyId, named)).toEqual(expected);
      expect(await listed(key)).toEqual(expected);
    }
  });

  it.each<[string, Parameters<typeof UpdateKeyRequest.fromPartial>[0]]>([
    ['no field to change', {}],
    ['name', { name: ' ' }],
    ['expires_at_ms', { expiresAtMs: 1n }],
    ['allowed_models[1]', { allowedModels: { ids: ['m', ''] } }],
    ['allowed_models', { allowedModels: { ids: Array.from({ length: 201 }, (_, index) => `m${index}`) } }],
    ['caps.month_nanos', { caps: { monthNanos: -1n } }],
    ['limits.requests_per_minute', { limits: { requestsPerMinute: 0n } }],
    ['limits.tokens_per_minute', { limits: { tokensPerMinute: 1_000_000_001n } }],
    ['limits.open_requests', { limits: { openRequests: 1_000_001 } }],
    ['tags: a name', { tags: { tags: { '1st': 'x' } } }],
    ['tags: a name', { tags: { tags: { [`${LONGEST_TAG}x`]: 'x' } } }],
    ['tags.team', { tags: { tags: { team: 'x'.repeat(257) } } }],
    ['tags.team', { tags: { tags: { team: 'a\nb' } } }],
    [
      'tags: must have at most 16',
      { tags: { tags: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`t${n}`, ''])) } },
    ],
    ['key_id', { keyId: '1', name: 'x' }],
    ['account_id', { accountId: '1', name: 'x' }],
  ])('are refused with a message that names %s', async (name, named) => {
    const { key } = await auth.createKey((await auth.createAccount()).accountId);
    const refused = { code: 3, details: expect.stringContaining(name) };
    await expect(auth.updateKey(key.keyId, named)).rejects.toMatchObject(refused);
    expect(await listed(key)).toEqual(key);
  });
});

describe('the last use of a key', () => {
  const report = (uses: KeyUse[]) => unaryCall(auth.client.reportKeyUse.bind(auth.client), { uses }, CALL);

  it('is written for many at once, never goes back, and never lies in the future', async () => {
    const { accountId } = await auth.createAccount();
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => auth.createKey(accountId)));
    const ids = [required(first).key.keyId, required(second).key.keyId, required(third).key.keyId] as const;
    const at = BigInt(Date.now() - 60_000);
    const future = BigInt(Date.now() + 3_600_000);
    await report([
      { keyId: ids[0], lastUsedAtMs: at },
      { keyId: ids[0], lastUsedAtMs: at + 5n },
      { keyId: ids[1], lastUsedAtMs: future },
      { keyId: newId(), lastUsedAtMs: at },
    ]);
    expect((await listed(required(first).key)).lastUsedAtMs).toBe(at + 5n);
    expect((await listed(required(second).key)).lastUsedAtMs).toBeLessThanOrEqual(BigInt(Date.now()));
    expect((await listed(required(second).key)).lastUsedAtMs).toBeGreaterThan(at);
    expect((await listed(required(third).key)).lastUsedAtMs).toBe(0n);
    await report([{ keyId: ids[0], lastUsedAtMs: at }]);
    expect((await listed(required(first).key)).lastUsedAtMs).toBe(at + 5n);
    await report([]);
  });

  it('is the latest of those that several ingresses report at once, in any order', async () => {
    const { accountId } = await auth.createAccount();
    const keys = await Promise.all(Array.from({ length: 20 }, () => auth.createKey(accountId)));
    const at = BigInt(Date.now() - 60_000);
    const reports = Array.from({ length: 16 }, (_, index) => {
      const uses = keys.map(({ key }) => ({ keyId: key.keyId, lastUsedAtMs: at + BigInt(index) }));
      return report(index % 2 === 0 ? uses : uses.toReversed());
    });
    await Promise.all(reports);
    for (const { key } of keys) expect((await listed(key)).lastUsedAtMs).toBe(at + 15n);
  });

  it('is refused for what cannot be', async () => {
    const refused = (details: string) => ({ code: 3, details: expect.stringContaining(details) });
    await expect(report([{ keyId: 'x', lastUsedAtMs: 1n }])).rejects.toMatchObject(refused('uses[0].key_id'));
    const use = { keyId: newId(), lastUsedAtMs: 1n };
    await expect(report([use, { ...use, lastUsedAtMs: -1n }])).rejects.toMatchObject(
      refused('uses[1].last_used_at_ms'),
    );
    await expect(report(Array.from({ length: 10_001 }, () => use))).rejects.toMatchObject(refused('uses'));
  });
});
