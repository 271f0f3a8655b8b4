import { createHash } from 'node:crypto';
import { type Actor, MAX_TOKEN_KEYS } from '@tollgate/common/actors/token';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { actorWith, tokenFor } from '@tollgate/common/testing/actors';
import { AuthServiceClient, CreateKeyRequest, type FindKeysRequest, UpdateKeyRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';
import { enroll } from '../../testing/enroll.ts';
import { Nodes } from '../../testing/nodes.ts';

let fixture: AuthFixture;
/** Without the operator's token, which the client of the fixture attaches. */
let client: AuthServiceClient;
let accountId: string;
let developer: Actor;
let owner: Actor;

beforeAll(async () => {
  fixture = await startAuth();
  client = createGrpcClient(AuthServiceClient, fixture.auth.address);
});
beforeEach(async () => {
  accountId = (await fixture.auth.createAccount()).accountId;
  const member = { accountId, via: 'console' as const };
  developer = actorWith({ ...member, id: newId(), name: 'dev@example.com', role: 'developer', keyIds: [] });
  owner = actorWith({ ...member, id: newId(), name: 'owner@example.com', role: 'owner' });
  for (const actor of [developer, owner]) await enroll(fixture.pool, accountId, actor);
});
afterAll(async () => {
  client?.close();
  await fixture?.stop();
});

/** The calls on keys, made by an actor. */
function as(actor: Actor) {
  const options = async () => ({ deadlineMs: 20_000, actorToken: await tokenFor(actor) });
  const create = async (attributes: Parameters<typeof CreateKeyRequest.fromPartial>[0] = {}) => {
    const request = CreateKeyRequest.fromPartial({ accountId, name: 'a key', ...attributes });
    const { key, secret } = await unaryCall(client.createKey.bind(client), request, await options());
    return { key: required(key), secret };
  };
  return {
    create,
    list: async (text?: string) => {
      const request = { accountId, pageSize: 100, pageToken: '', text };
      const { keys } = await unaryCall(client.listKeys.bind(client), request, await options());
      return keys.map((key) => key.keyId);
    },
    find: async (by: FindKeysRequest['by'], account = accountId) => {
      const request = { accountId: account, by };
      const { keys } = await unaryCall(client.findKeys.bind(client), request, await options());
      return keys.map((key) => key.keyId);
    },
    get: async (keyId: string) => unaryCall(client.getKey.bind(client), { accountId, keyId }, await options()),
    propagation: async (keyId: string) =>
      unaryCall(client.getKeyPropagation.bind(client), { accountId, keyId }, await options()),
    update: async (keyId: string, attributes: Parameters<typeof UpdateKeyRequest.fromPartial>[0]) => {
      const request = UpdateKeyRequest.fromPartial({ accountId, keyId, ...attributes });
      return unaryCall(client.updateKey.bind(client), request, await options());
    },
    rotate: async (keyId: string) => {
      const request = { accountId, keyId, overlapMs: 0n, idempotencyKey: newId(), withDerived: false };
      return unaryCall(client.rotateKey.bind(client), request, await options());
    },
    delete: async (keyId: string) => unaryCall(client.deleteKey.bind(client), { accountId, keyId }, await options()),
  };
}

const sha256Of = (text: string) => ({
  $case: 'keySha256' as const,
  value: createHash('sha256').update(text).digest(),
});

describe('a developer', () => {
  it('uses the keys they made, and no other', async () => {
    const own = await as(developer).create();
    const { key: other, secret } = await as(owner).create();
    expect(own.key).toMatchObject({ createdBy: { personId: developer.id, name: 'dev@example.com' } });
    expect(await as(developer).list()).toEqual([own.key.keyId]);
    expect(await as(owner).list()).toEqual([other.keyId, own.key.keyId]);
    expect(await as(developer).find(sha256Of(own.secret))).toEqual([own.key.keyId]);
    expect(await as(developer).find(sha256Of(secret))).toEqual([]);
    expect(await as(developer).find({ $case: 'lastFour', value: other.lastFour })).not.toContain(other.keyId);
    const both = { keyIds: [own.key.keyId, other.keyId] };
    expect(await as(developer).find({ $case: 'keyIds', value: both })).toEqual([own.key.keyId]);
    expect(await as(developer).list(other.keyId)).toEqual([]);
    expect(await as(owner).list(other.keyId)).toEqual([other.keyId]);
    const { get, propagation, rotate, update, delete: remove } = as(developer);
    const rename = (keyId: string) => update(keyId, { name: 'renamed' });
    expect((await rename(own.key.keyId)).key?.name).toBe('renamed');
    for (const call of [get, propagation, rename, rotate, remove]) {
      await expect(call(other.keyId)).rejects.toMatchObject({ code: 5 });
      await call(own.key.keyId);
    }
  });

  it('sets caps and limits only when creating a key', async () => {
    const attributes = { caps: { dayNanos: 1n }, limits: { openRequests: 1 } };
    const { key } = await as(developer).create(attributes);
    expect(key).toMatchObject(attributes);
    for (const [name, value] of Object.entries(attributes)) {
      const changed = { [name]: value };
      await expect(as(developer).update(key.keyId, changed)).rejects.toMatchObject({ code: 7 });
      await as(owner).update(key.keyId, changed);
    }
  });

  it(`has at most ${MAX_TOKEN_KEYS} active keys, also with calls at the same time`, async () => {
    await fixture.pool.query(
      `INSERT INTO auth.keys (key_id, account_id, name, key_sha256, display_prefix, last_four, created_by_id)
       SELECT gen_random_uuid(), $1, 'key', sha256(gen_random_uuid()::text::bytea), '', '0000', $2
       FROM generate_series(1, $3)`,
      [accountId, developer.id, MAX_TOKEN_KEYS - 1],
    );
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => as(developer).create()));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(refused).toEqual([8, 8, 8]);
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.key.keyId] : []));
    await as(developer).delete(made[0] ?? '');
    await as(developer).create();
    await as(owner).create();
  });
});

describe('a developer of some projects', () => {
  const projects = async () => {
    const nodes = new Nodes(fixture.auth, accountId);
    const made = await Promise.all(['one', 'two', 'three'].map((name) => nodes.createProject(name)));
    return made.map(({ projectId }) => projectId);
  };
  const limitedTo = async (projectIds: string[]) => {
    const limited = { ...developer, id: newId(), projectIds };
    await enroll(fixture.pool, accountId, limited);
    return limited;
  };

  it('makes and sees keys in these alone, by default in the first', async () => {
    const [one = '', two = '', three = ''] = await projects();
    const limited = await limitedTo([two, one]);
    const { key, secret } = await as(limited).create();
    expect(key.projectId).toBe(two);
    expect((await as(limited).create({ projectId: one })).key.projectId).toBe(one);
    for (const projectId of [three, accountId]) {
      await expect(as(limited).create({ projectId })).rejects.toMatchObject({ code: 5 });
    }
    await as(owner).update(key.keyId, { projectId: three });
    expect(await as(limited).list()).not.toContain(key.keyId);
    expect(await as(limited).find(sha256Of(secret))).toEqual([]);
    expect(await as(limited).find({ $case: 'keyIds', value: { keyIds: [key.keyId] } })).toEqual([]);
    expect(await as(limited).find({ $case: 'lastFour', value: key.lastFour })).toEqual([]);
    for (const call of ['get', 'propagation', 'rotate', 'delete'] as const) {
      await expect(as(limited)[call](key.keyId)).rejects.toMatchObject({ code: 5 });
    }
    await expect(as(limited).update(key.keyId, { name: 'mine' })).rejects.toMatchObject({ code: 5 });
    await as(owner).update(key.keyId, { projectId: one });
    expect(await as(limited).list()).toContain(key.keyId);
  });

  it('sees these projects and their service accounts alone', async () => {
    const [one = '', two = ''] = await projects();
    const token = await tokenFor(await limitedTo([two]));
    const call = { deadlineMs: 20_000, actorToken: token };
    const page = { accountId, limit: 100, cursor: '' };
    const { data } = await unaryCall(client.listProjects.bind(client), page, call);
    expect(data.map(({ projectId }) => projectId)).toEqual([two]);
    const nodes = new Nodes(fixture.auth, accountId);
    await nodes.createServiceAccount(one, 'hidden');
    await nodes.createServiceAccount(two, 'seen');
    const accountsOf = async (projectId: string) => {
      const list = await unaryCall(client.listServiceAccounts.bind(client), { ...page, projectId }, call);
      return list.data.map(({ name }) => name);
    };
    expect([await accountsOf(one), await accountsOf(two)]).toEqual([[], ['seen']]);
  });

  it('makes and changes no key with a token from before a project was taken from them', async () => {
    const [one = '', two = ''] = await projects();
    const limited = await limitedTo([one, two]);
    const { key } = await as(limited).create({ projectId: one });
    await fixture.pool.query('UPDATE auth.memberships SET project_ids = $2 WHERE person_id = $1', [limited.id, [two]]);
    await expect(as(limited).create({ projectId: one })).rejects.toMatchObject({ code: 7 });
    await expect(as(limited).update(key.keyId, { name: 'mine' })).rejects.toMatchObject({ code: 7 });
    const unlimited = { ...limited, projectIds: undefined };
    await expect(as(unlimited).create({ projectId: one })).rejects.toMatchObject({ code: 7 });
    await as({ ...limited, projectIds: [two] }).create();
  });
});

describe('finding keys', () => {
  it('finds a value, current or previous, and deleted keys, for operators in all accounts', async () => {
    const operator = actorWith();
    const { key, secret } = await as(owner).create();
    const rotated = await fixture.auth.rotateKey(key.keyId, 60_000);
    await as(owner).delete(key.keyId);
    for (const text of [secret, rotated.secret]) {
      expect(await as(operator).find(sha256Of(text), '')).toEqual([key.keyId]);
      expect(await as(owner).find(sha256Of(text))).toEqual([key.keyId]);
    }
    expect(await as(operator).find({ $case: 'lastFour', value: rotated.key.lastFour }, '')).toContain(key.keyId);
    await expect(as(owner).find(sha256Of(secret), '')).rejects.toMatchObject({ code: 7 });
    expect(await as(operator).find(sha256Of(secret), (await fixture.auth.createAccount()).accountId)).toEqual([]);
  });

  it.each([
    undefined,
    { $case: 'lastFour' as const, value: 'a%' },
    { $case: 'keySha256' as const, value: Buffer.alloc(3) },
  ])('refuses %j', async (by) => {
    await expect(as(owner).find(by)).rejects.toMatchObject({ code: 3 });
  });
});
