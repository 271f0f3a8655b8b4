import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { sha256Hex } from '@tollgate/common/keys/index';
import {
  type Account,
  type ApiKey,
  CreateKeyRequest,
  type DerivedKey,
  KeyRefusal,
  KeyStatus,
  ListKeysRequest,
  NodeScope,
  Role,
} from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { type AuthUnderTest, required, ScriptedWatcher } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { People } from '../../testing/people.ts';
import { MAX_DERIVED_KEYS } from './derivations.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;
let account: Account;

beforeAll(async () => {
  fixture = await startAuth();
  auth = fixture.auth;
  account = await auth.createAccount();
});
afterAll(() => fixture?.stop());

type Options = NonNullable<Parameters<AuthUnderTest['createKey']>[1]>;
type Given = NonNullable<Parameters<AuthUnderTest['deriveKey']>[1]>;

async function createParent(options: Options = {}): Promise<ApiKey> {
  return (await auth.createKey(account.accountId, options)).key;
}

/** A key below another one, and what it resolves to. */
async function derive(parent: Pick<ApiKey, 'keyId'>, given: Given = {}) {
  const { key, secret } = await auth.deriveKey({ accountId: account.accountId, keyId: parent.keyId }, given);
  const resolve = () => auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag);
  return { key, resolve, record: async () => activeOf(await resolve()) };
}

function activeOf(result: Awaited<ReturnType<AuthUnderTest['resolve']>>) {
  if (result?.$case !== 'active') throw new Error(`the key is refused: ${result?.value}`);
  return result.value;
}

const refused = (reason: KeyRefusal) => ({ $case: 'refused', value: reason });

async function listKeys(given: Partial<ListKeysRequest> = {}): Promise<ApiKey[]> {
  const { client } = auth;
  const request = ListKeysRequest.fromPartial({ accountId: account.accountId, pageSize: 1_000, ...given });
  return (await unaryCall(client.listKeys.bind(client), request, { deadlineMs: 20_000 })).keys;
}

async function getKey(keyId: string): Promise<ApiKey> {
  const { client } = auth;
  return required((await unaryCall(client.getKey.bind(client), { keyId, accountId: '' }, { deadlineMs: 20_000 })).key);
}

/** Three keys below a key, each below the one before it. */
async function chainBelow(parent: ApiKey) {
  const first = await derive(parent);
  const second = await derive(first.key);
  return [first, second, await derive(second.key)] as const;
}

describe('a derived key', () => {
  it('passes the keys above it, root first, after the project and owner of the root', async () => {
    const nodes = new Nodes(auth, account.accountId);
    const { projectId } = await nodes.createProject(newId());
    const { serviceAccountId } = await nodes.createServiceAccount(projectId, 'ci');
    const caps = { dayNanos: 9_007_199_254_740_993n };
    const limits = { requestsPerMinute: 60n };
    const root = await createParent({ serviceAccountId, name: 'root', caps, limits, allowedModels: ['m', 'n'] });
    const middle = await derive(root, { name: 'middle', limits: { openRequests: 2 } });
    const { record } = await derive(middle.key, { allowedModels: ['m'], caps: { dayNanos: 5n } });
    const found = await record();
    expect(found).toMatchObject({ allowedModels: ['m'], caps: { dayNanos: 5n } });
    expect(found.nodes.map(({ scope, nodeId }) => [scope, nodeId])).toEqual([
      [NodeScope.PROJECT, projectId],
      [NodeScope.SERVICE_ACCOUNT, serviceAccountId],
      [NodeScope.KEY, root.keyId],
      [NodeScope.KEY, middle.key.keyId],
    ]);
    const [, , first, second] = found.nodes;
    expect(first).toMatchObject({ name: 'root', caps, limits, allowedModels: ['m', 'n'] });
    expect(second).toMatchObject({ name: 'middle', limits: { openRequests: 2 }, allowedModels: [] });
    expect(second?.caps).toBeUndefined();
  });

  it('ends with the key above it, and adds its tags to those above', async () => {
    const expiresAtMs = BigInt(Date.now() + 3_600_000);
    const root = await createParent({ expiresAtMs, tags: { team: 'a' } });
    const middle = await derive(root, { tags: { job: '7' } });
    const { key, record } = await derive(middle.key, { tags: { job: '7', user: 'bo' } });
    expect(key).toMatchObject({ expiresAtMs: 0n, tags: { job: '7', user: 'bo' } });
    expect(await record()).toMatchObject({ expiresAtMs, tags: { team: 'a', job: '7', user: 'bo' } });
  });

  it('has the tags of a key above it where those change later, and never more than a charge may have', async () => {
    const root = await createParent();
    const { record } = await derive(root, { tags: Object.fromEntries(tagNames(16).map((name) => [name, 'own'])) });
    await auth.updateKey(root.keyId, { tags: { tags: { tag0: 'root', other: 'root' } } });
    const { tags } = await record();
    expect(tags).toMatchObject({ tag0: 'root', other: 'root', tag1: 'own' });
    expect(Object.keys(tags)).toHaveLength(16);
  });

  it('can end a number of seconds from now', async () => {
    const before = Date.now();
    const { key } = await derive(await createParent(), { expiresInMs: 60_000n });
    expect(Number(key.expiresAtMs)).toBeGreaterThanOrEqual(before + 60_000);
    expect(Number(key.expiresAtMs)).toBeLessThan(Date.now() + 60_001);
  });

  it('is listed below its parent alone, deleted ones too, newest first', async () => {
    const parent = await createParent();
    const first = await derive(parent);
    const below = await derive(first.key);
    const second = await derive(parent);
    await auth.deleteKey(first.key.keyId);
    const listed = await listKeys({ parentKeyId: parent.keyId });
    expect(listed.map(({ keyId, parentKeyId }) => [keyId, parentKeyId])).toEqual([
      [second.key.keyId, parent.keyId],
      [first.key.keyId, parent.keyId],
    ]);
    const all = (await listKeys()).map(({ keyId }) => keyId);
    expect(all).toContain(parent.keyId);
    for (const { key } of [first, second, below]) expect(all).not.toContain(key.keyId);
    expect((await getKey(below.key.keyId)).parentKeyId).toBe(first.key.keyId);
  });

  it('is in the audit log, made by its parent', async () => {
    const parent = await createParent({ name: 'agent' });
    const { key } = await derive(parent, { name: 'run 1', caps: { dayNanos: 1_000_000_000n } });
    const { rows } = await fixture.pool.query('SELECT * FROM auth.audit WHERE target_id = $1', [key.keyId]);
    expect(rows).toMatchObject([
      {
        ...{ action: 'key.derive', actor_id: parent.keyId, actor_name: 'agent', actor_role: '', actor_via: 'key' },
        details: { name: 'run 1', day_cap: '$1' },
      },
    ]);
  });
});

const tagNames = (count: number) => Array.from({ length: count }, (_, index) => `tag${index}`);
const tagsOf = (count: number) => Object.fromEntries(tagNames(count).map((name) => [name, 'x']));
const HOUR_MS = 3_600_000n;
const nowMs = BigInt(Date.now());

describe('what is more than a key above it has is refused, and names the field:', () => {
  const bounds: [field: string, options: Options, most: Given, more: Given][] = [
    ['caps.day', { caps: { dayNanos: 5n } }, { caps: { dayNanos: 5n } }, { caps: { dayNanos: 6n } }],
    ['caps.week', { caps: { weekNanos: 5n } }, { caps: { weekNanos: 5n } }, { caps: { weekNanos: 6n } }],
    ['caps.month', { caps: { monthNanos: 5n } }, { caps: { monthNanos: 5n } }, { caps: { monthNanos: 6n } }],
    ['caps.total', { caps: { totalNanos: 0n } }, { caps: { totalNanos: 0n } }, { caps: { totalNanos: 1n } }],
    [
      'limits.requests_per_minute',
      { limits: { requestsPerMinute: 5n } },
      { limits: { requestsPerMinute: 5n } },
      { limits: { requestsPerMinute: 6n } },
    ],
    [
      'limits.tokens_per_minute',
      { limits: { tokensPerMinute: 5n } },
      { limits: { tokensPerMinute: 5n } },
      { limits: { tokensPerMinute: 6n } },
    ],
    [
      'limits.open_requests',
      { limits: { openRequests: 5 } },
      { limits: { openRequests: 5 } },
      { limits: { openRequests: 6 } },
    ],
    ['allowed_models[1]', { allowedModels: ['a', 'b'] }, { allowedModels: ['b', 'a'] }, { allowedModels: ['a', 'c'] }],
    [
      'expires_at',
      { expiresAtMs: nowMs + HOUR_MS },
      { expiresAtMs: nowMs + HOUR_MS },
      { expiresAtMs: nowMs + HOUR_MS + 1n },
    ],
    ['expires_at', { expiresAtMs: nowMs + HOUR_MS }, { expiresInMs: 1_000n }, { expiresInMs: 2n * HOUR_MS }],
    ['tags.team', { tags: { team: 'a' } }, { tags: { team: 'a', job: '1' } }, { tags: { team: 'b' } }],
    ['tags', { tags: tagsOf(15) }, { tags: { one: '1' } }, { tags: { one: '1', two: '2' } }],
  ];
  it.each(bounds)('%s', async (field, options, most, more) => {
    const root = await createParent(options);
    await derive(root, most);
    const refusal = {
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining(`${field}: `),
    };
    await expect(derive(root, more)).rejects.toMatchObject(refusal);
    // A key between them that leaves it out is no way around it.
    const middle = await derive(root);
    await derive(middle.key, most);
    await expect(derive(middle.key, more)).rejects.toMatchObject(refusal);
    // Nor is a later change.
    const { key } = await derive(root, most);
    const {
      expiresInMs,
      expiresAtMs = expiresInMs === undefined ? undefined : nowMs + BigInt(expiresInMs),
      ...rest
    } = more;
    const { allowedModels, tags, ...others } = rest;
    const change = {
      ...others,
      ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
      ...(allowedModels === undefined ? {} : { allowedModels: { ids: allowedModels } }),
      ...(tags === undefined ? {} : { tags: { tags } }),
    };
    await expect(auth.updateKey(key.keyId, change)).rejects.toMatchObject(refusal);
  });

  it('also what no key may have', async () => {
    const parent = await createParent();
    for (const given of [
      { name: '' },
      { caps: { dayNanos: -1n } },
      { limits: { openRequests: 0 } },
      { tags: tagsOf(17) },
      { tags: { '1': 'x' } },
      { expiresAtMs: 1n },
      { expiresInMs: 999n },
      { expiresInMs: 60_000n, expiresAtMs: nowMs + HOUR_MS },
    ])
      await expect(derive(parent, given)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

describe('bounds of derived keys', () => {
  it('are at most three below each other', async () => {
    const [, , third] = await chainBelow(await createParent());
    expect((await third.record()).nodes).toHaveLength(4);
    await expect(derive(third.key)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  it('are at most 10,000 alive per account; what has ended makes room', async () => {
    const full = await auth.createAccount();
    const { key: parent } = await auth.createKey(full.accountId);
    const { key: other } = await auth.createKey(full.accountId);
    const { key: onOther } = await auth.deriveKey(other);
    await fill(parent, MAX_DERIVED_KEYS - 2);
    const { key: last } = await auth.deriveKey(parent);
    for (let round = 0; round < 2; round += 1)
      await expect(auth.deriveKey(parent)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    await auth.deleteKey(last.keyId);
    await auth.deriveKey(parent);
    await expect(auth.deriveKey(parent)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    // With the key above.
    await letEnd(other.keyId);
    await auth.deriveKey(parent);
    expect((await getKey(onOther.keyId)).status).toBe(KeyStatus.DELETED);
    // By itself.
    const { rows } = await fixture.pool.query('SELECT key_id FROM auth.keys WHERE parent_key_id = $1 LIMIT 1', [
      parent.keyId,
    ]);
    await letEnd(rows[0].key_id);
    await auth.deriveKey(parent);
    await expect(auth.deriveKey(parent)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });
});

/** Makes keys below a key, as a client would over time. */
async function fill(parent: ApiKey, count: number): Promise<void> {
  await fixture.pool.query(
    `INSERT INTO auth.keys (key_id, account_id, name, key_sha256, display_prefix, last_four, created_by_name, parent_key_id, above_key_ids)
     SELECT gen_random_uuid(), $1, 'filled', sha256(gen_random_uuid()::text::bytea), 'x', 'x', '', $2, ARRAY[$2::uuid]
     FROM generate_series(1, $3)`,
    [parent.accountId, parent.keyId, count],
  );
  await fixture.pool.query('UPDATE auth.derived_key_counts SET keys = keys + $2 WHERE account_id = $1', [
    parent.accountId,
    count,
  ]);
}

/** Lets a key have ended already, which no call does. */
async function letEnd(keyId: string): Promise<void> {
  await fixture.pool.query(`UPDATE auth.keys SET expires_at = now() - interval '1 ms' WHERE key_id = $1`, [keyId]);
}

describe('a derived key dies with what is above it:', () => {
  const deaths: [how: string, reason: KeyRefusal, kill: (root: ApiKey, first: DerivedKey) => Promise<unknown>][] = [
    ['its root deleted', KeyRefusal.DELETED, (root) => auth.deleteKey(root.keyId)],
    ['a key between them deleted', KeyRefusal.DELETED, (_root, first) => auth.deleteKey(first.keyId)],
    ['its root at its end', KeyRefusal.OFF, (root) => letEnd(root.keyId)],
    ['a key between them at its end', KeyRefusal.OFF, (_root, first) => letEnd(first.keyId)],
    ['its root rotated so', KeyRefusal.DELETED, (root) => auth.rotateKey(root.keyId, 60_000, { withDerived: true })],
    [
      'its project switched off',
      KeyRefusal.OFF,
      ({ projectId }) => nodes().updateProject(projectId, { enabled: false }),
    ],
    ['its project deleted', KeyRefusal.OFF, ({ projectId }) => nodes().deleteProject(projectId)],
    ['its account suspended', KeyRefusal.ACCOUNT_SUSPENDED, () => auth.suspend(account.accountId, 'a test')],
  ];
  const nodes = () => new Nodes(auth, account.accountId);

  it.each(deaths)('%s', async (_how, reason, kill) => {
    const { projectId } = await nodes().createProject(newId());
    const root = await createParent({ projectId });
    const [first, second, third] = await chainBelow(root);
    const before = await third.record();
    await kill(root, first.key);
    expect(await second.resolve()).toEqual(refused(reason));
    expect(await third.resolve()).toEqual(refused(reason));
    // No key can be made below them either.
    for (const parent of [second, third])
      await expect(derive(parent.key)).rejects.toMatchObject({ code: status.NOT_FOUND });
    if (reason === KeyRefusal.ACCOUNT_SUSPENDED) await auth.resume(account.accountId);
    else
      expect((await getKey(third.key.keyId)).status).toBe(
        reason === KeyRefusal.OFF ? KeyStatus.OFF : KeyStatus.DELETED,
      );
    expect(before.nodes).toHaveLength(4);
  });

  it('every ingress hears of a deletion for all keys below, before the call returns', async () => {
    const root = await createParent();
    const [, , third] = await chainBelow(root);
    const { accountRevision } = await third.record();
    const watcher = new ScriptedWatcher(auth.client, newId());
    const first = watcher.ping(0n);
    await expect.poll(() => watcher.isConfirmed(first), { timeout: 20_000 }).toBe(true);
    const from = watcher.lastSequence;
    let returned = false;
    const deletion = auth.deleteKey(root.keyId).then(() => {
      returned = true;
    });
    await expect.poll(() => watcher.revocations.filter(({ sequence }) => sequence > from).length).toBe(2);
    expect(returned).toBe(false);
    const [ofAccount, ofKey] = watcher.revocations.filter(({ sequence }) => sequence > from);
    expect(ofAccount?.what).toMatchObject({ $case: 'account', value: { accountId: account.accountId } });
    const revision = ofAccount?.what?.$case === 'account' ? ofAccount.what.value.revision : 0n;
    expect(revision).toBeGreaterThan(accountRevision);
    expect(ofKey?.deadKeyId).toBe(root.keyId);
    // Whoever has applied only the change of the account knows nothing of the key.
    watcher.ping(ofAccount?.sequence ?? 0n);
    watcher.ping(ofKey?.sequence ?? 0n);
    await deletion;
    watcher.ping(ofKey?.sequence ?? 0n, true);
    watcher.cancel();
  });

  it('of a key without keys below it, ingresses hear as before', async () => {
    const key = await createParent();
    const { key: below } = await derive(key);
    await auth.deleteKey(below.keyId);
    const { rows } = await fixture.pool.query('SELECT revision FROM auth.accounts WHERE account_id = $1', [
      account.accountId,
    ]);
    await auth.updateKey(key.keyId, { name: 'changed' });
    await auth.deleteKey(key.keyId);
    const after = await fixture.pool.query('SELECT revision FROM auth.accounts WHERE account_id = $1', [
      account.accountId,
    ]);
    expect(after.rows).toEqual(rows);
  });

  it('no key that is made while its parent is being deleted outlives it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const root = await createParent();
      const middle = await derive(root);
      const creations = Array.from({ length: 12 }, (_, index) => derive(index % 2 === 0 ? root : middle.key));
      const settled = Promise.allSettled([...creations.slice(0, 6), auth.deleteKey(root.keyId), ...creations.slice(6)]);
      await settled;
      const made = (await Promise.allSettled(creations)).flatMap((each) =>
        each.status === 'fulfilled' ? [each.value] : [],
      );
      expect(await Promise.all(made.map(({ resolve }) => resolve()))).toEqual(
        made.map(() => refused(KeyRefusal.DELETED)),
      );
      const cached = await fixture.pool.query(
        'SELECT FROM auth.keys WHERE above_key_ids[1] = $1 AND deleted_at IS NULL',
        [root.keyId],
      );
      expect(cached.rowCount).toBe(0);
    }
  });
});

describe('a change of a key above', () => {
  it('reaches the keys below it', async () => {
    const root = await createParent();
    const [, , third] = await chainBelow(root);
    const before = await third.record();
    await auth.updateKey(root.keyId, { caps: { dayNanos: 7n }, allowedModels: { ids: ['m'] } });
    const after = await third.record();
    expect(after.nodes[1]).toMatchObject({ caps: { dayNanos: 7n }, allowedModels: ['m'] });
    expect(after.nodes[1]?.revision).toBeGreaterThan(before.nodes[1]?.revision ?? 0n);
    expect(after.accountRevision).toBeGreaterThan(before.accountRevision);
  });

  it('moves the keys below it along, and no key below it is moved by itself', async () => {
    const nodes = new Nodes(auth, account.accountId);
    const { projectId } = await nodes.createProject(newId());
    const { serviceAccountId } = await nodes.createServiceAccount(projectId, 'ci');
    const root = await createParent();
    const [first, , third] = await chainBelow(root);
    await auth.updateKey(root.keyId, { serviceAccountId });
    expect((await third.record()).nodes.slice(0, 2)).toMatchObject([
      { nodeId: projectId },
      { nodeId: serviceAccountId },
    ]);
    await expect(auth.updateKey(first.key.keyId, { projectId: account.accountId })).rejects.toMatchObject({
      code: status.FAILED_PRECONDITION,
    });
  });

  it('that is a rotation keeps them', async () => {
    const root = await createParent();
    const { record } = await derive(root);
    await auth.rotateKey(root.keyId, 0);
    expect((await record()).nodes).toHaveLength(2);
  });
});

describe('a developer', () => {
  it('sees and deletes the keys below their own, and no others', async () => {
    const people = new People(auth);
    const { call } = await people.member(account.accountId, Role.DEVELOPER);
    const { accountId } = account;
    const request = CreateKeyRequest.fromPartial({ accountId, name: 'mine' });
    const own = required((await call((client) => client.createKey.bind(client), request)).key);
    const mine = await derive(own);
    const other = await createParent();
    const others = await derive(other);
    const list = async (parentKeyId: string) => {
      const of = ListKeysRequest.fromPartial({ accountId, parentKeyId });
      return (await call((client) => client.listKeys.bind(client), of)).keys.map(({ keyId }) => keyId);
    };
    expect(await list(own.keyId)).toEqual([mine.key.keyId]);
    expect(await list(other.keyId)).toEqual([]);
    const remove = (keyId: string) => call((client) => client.deleteKey.bind(client), { keyId, accountId });
    await remove(mine.key.keyId);
    await expect(remove(others.key.keyId)).rejects.toMatchObject({ code: status.NOT_FOUND });
    expect(await mine.resolve()).toEqual(refused(KeyRefusal.DELETED));
    people.close();
  });
});
