import { createHash } from 'node:crypto';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { isManagementKey } from '@tollgate/common/keys/index';
import { actorWith, tokenFor } from '@tollgate/common/testing/actors';
import { AuthServiceClient, CreateKeyRequest, Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';
import { People } from '../../testing/people.ts';

const LONG = { deadlineMs: 20_000 };
const DAY_MS = 86_400_000;

let fixture: AuthFixture;
let client: AuthServiceClient;
let people: People;

beforeAll(async () => {
  fixture = await startAuth();
  client = createGrpcClient(AuthServiceClient, fixture.auth.address);
  people = new People(fixture.auth);
});
afterAll(async () => {
  client?.close();
  people?.close();
  await fixture?.stop();
});

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const issue = (text: string) =>
  unaryCall(client.issueManagementKeyToken.bind(client), { keySha256: sha256(text) }, LONG);

async function create(actor: ReturnType<typeof actorWith>, accountId: string, role: Role, days = 1) {
  const request = { accountId, name: 'deploys', role, expiresAtMs: BigInt(Date.now() + days * DAY_MS) };
  const options = { ...LONG, actorToken: await tokenFor(actor) };
  const { key, secret } = await unaryCall(client.createManagementKey.bind(client), request, options);
  return { key: required(key), secret };
}

describe('a management key', () => {
  it('is shown once, acts with its role in its account, and no longer once it is deleted or expired', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const { key, secret } = await create(actorWith(), accountId, Role.DEVELOPER);
    expect(isManagementKey('tollgate', secret)).toBe(true);
    expect(key).toMatchObject({ displayPrefix: 'mk-tollgate-', lastFour: secret.slice(-4), lastUsedAtMs: 0n });
    const issued = await issue(secret);
    expect(issued).toMatchObject({ accountId, role: Role.DEVELOPER });
    const options = { ...LONG, actorToken: issued.token };
    const createKey = CreateKeyRequest.fromPartial({ accountId, name: 'made by a program' });
    const made = await unaryCall(client.createKey.bind(client), createKey, options);
    expect(made.key).toMatchObject({ createdBy: { personId: key.managementKeyId, name: 'deploys' } });
    const mine = { accountId, pageSize: 10, pageToken: '' };
    expect((await unaryCall(client.listKeys.bind(client), mine, options)).keys).toHaveLength(1);
    const { rows } = await fixture.pool.query('SELECT actor_via FROM auth.audit WHERE actor_id = $1', [
      key.managementKeyId,
    ]);
    expect(rows).toEqual([{ actor_via: 'api' }]);

    const used = 'SELECT last_used_at FROM auth.management_keys WHERE management_key_id = $1';
    const first = await fixture.pool.query(used, [key.managementKeyId]);
    await issue(secret);
    expect((await fixture.pool.query(used, [key.managementKeyId])).rows).toEqual(first.rows);
    const own = fixture.auth.client;
    const request = { accountId, managementKeyId: key.managementKeyId };
    const deleted = await unaryCall(own.deleteManagementKey.bind(own), request, LONG);
    expect(await unaryCall(own.deleteManagementKey.bind(own), request, LONG)).toEqual(deleted);
    await expect(issue(secret)).rejects.toMatchObject({ code: 7 });

    const expiring = await create(actorWith(), accountId, Role.OWNER);
    await fixture.pool.query('UPDATE auth.management_keys SET expires_at = clock_timestamp() WHERE key_sha256 = $1', [
      sha256(expiring.secret),
    ]);
    await expect(issue(expiring.secret)).rejects.toMatchObject({ code: 7 });
    await expect(issue('mk-tollgate-unknown')).rejects.toMatchObject({ code: 7 });
    const listed = await unaryCall(own.listManagementKeys.bind(own), { accountId }, LONG);
    expect(listed.keys.map((one) => one.managementKeyId)).toEqual([expiring.key.managementKeyId, key.managementKeyId]);
  });

  it('neither creates nor deletes management keys, nor creates password resets, with any role', async () => {
    const { accountId } = await fixture.auth.createAccount();
    for (const [of, role] of [
      [accountId, Role.OWNER],
      ['', Role.OPERATOR],
    ] as const) {
      const { key, secret } = await create(actorWith(), of, role);
      const denied = { code: 7, details: 'a management key may not do this' };
      const options = { ...LONG, actorToken: (await issue(secret)).token };
      const expiresAtMs = BigInt(Date.now() + DAY_MS);
      const another = { accountId: of, name: 'another', role, expiresAtMs };
      await expect(unaryCall(client.createManagementKey.bind(client), another, options)).rejects.toMatchObject(denied);
      const itself = { accountId: of, managementKeyId: key.managementKeyId };
      await expect(unaryCall(client.deleteManagementKey.bind(client), itself, options)).rejects.toMatchObject(denied);
      const listed = await unaryCall(client.listManagementKeys.bind(client), { accountId: of }, options);
      expect(listed.keys).toMatchObject([{ managementKeyId: key.managementKeyId, deletedAtMs: 0n }]);
      if (role !== Role.OPERATOR) continue;
      const reset = { email: 'a@example.com', secretSha256: sha256('a secret'), expiresAtMs };
      await expect(unaryCall(client.createPasswordReset.bind(client), reset, options)).rejects.toMatchObject(denied);
    }
  });

  it('has no role above that of its creator, and expires within 366 days', async () => {
    const { accountId } = await fixture.auth.createAccount();
    const { personId } = await people.member(accountId, Role.OWNER);
    const owner = actorWith({ id: personId, role: 'owner', accountId, via: 'console' });
    for (const role of [Role.OWNER, Role.DEVELOPER]) {
      expect((await create(owner, accountId, role)).key.role).toBe(role);
    }
    await expect(create(owner, accountId, Role.OPERATOR)).rejects.toMatchObject({ code: 3 });
    await expect(create(owner, '', Role.OPERATOR)).rejects.toMatchObject({ code: 7 });
    for (const role of [Role.DEVELOPER, Role.BILLING]) {
      await expect(create({ ...owner, role: 'admin' }, accountId, role)).rejects.toMatchObject({ code: 7 });
    }
    await expect(create(owner, accountId, Role.OWNER, 367)).rejects.toMatchObject({ code: 3 });
    await expect(create(owner, accountId, Role.OWNER, -1)).rejects.toMatchObject({ code: 3 });
    const { secret } = await create(actorWith(), '', Role.OPERATOR);
    expect(await issue(secret)).toMatchObject({ accountId: '', role: Role.OPERATOR });
  });
});
