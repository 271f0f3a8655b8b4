import type { Pool } from '@tollgate/common/postgres/pool';
import { CreateKeyRequest, Role, UpdateKeyRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { Nodes } from '../../testing/nodes.ts';
import { inOneDay, newEmail, newLinkSecret, PASSWORD_HASH, People, type SomePerson } from '../../testing/people.ts';

let fixture: AuthFixture;
let pool: Pool;
let people: People;
let accountId: string;
let owner: SomePerson;
let admin: SomePerson;
let developer: SomePerson;

beforeAll(async () => {
  fixture = await startAuth();
  ({ pool } = fixture);
  people = new People(fixture.auth);
  ({ accountId } = await fixture.auth.createAccount());
  owner = await people.member(accountId, Role.OWNER);
  admin = await people.member(accountId, Role.ADMIN);
  developer = await people.member(accountId, Role.DEVELOPER);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

const createKey = (by: SomePerson, changes: object = {}) =>
  by.call(
    (client) => client.createKey.bind(client),
    CreateKeyRequest.fromPartial({ accountId, name: 'a key', ...changes }),
  );
const updateKey = (by: SomePerson, keyId: string, changes: object) =>
  by.call((client) => client.updateKey.bind(client), UpdateKeyRequest.fromPartial({ accountId, keyId, ...changes }));
const createManagementKey = (by: SomePerson['call'], role: Role, of = accountId) =>
  by((client) => client.createManagementKey.bind(client), {
    ...{ accountId: of, name: 'a program', role, expiresAtMs: inOneDay() },
  });

async function actionsOf(targetId: string): Promise<string[]> {
  const { rows } = await pool.query('SELECT action FROM auth.audit WHERE target_id = $1 ORDER BY entry_id', [targetId]);
  return rows.map(({ action }) => action);
}

describe('the audit log', () => {
  it('is written in the transaction of each change: without its entry there is no change', async () => {
    const { key } = await createKey(developer);
    const { keyId = '' } = key ?? {};
    const { key: managementKey } = await createManagementKey(owner.call, Role.BILLING);
    const open = await people.invite(newEmail(), Role.BILLING, accountId);
    const { invitation } = await people.operator((client) => client.getInvitation.bind(client), { secretSha256: open });
    const { invitationId = '' } = invitation ?? {};
    const resets = newLinkSecret();
    const forReset = { email: admin.person.email, secretSha256: resets.secretSha256, expiresAtMs: inOneDay() };
    await people.operator((client) => client.createPasswordReset.bind(client), forReset);
    const operator = await people.newOperator();
    await people.newOperator();
    const nodes = new Nodes(fixture.auth, accountId);
    const { projectId } = await nodes.createProject('Research');
    const made = await nodes.createServiceAccount(projectId, 'ci');
    const person = { personId: admin.personId, name: 'Another name', passwordHash: undefined };
    const changes: (() => Promise<unknown>)[] = [
      () => fixture.auth.createAccount(),
      () => createKey(owner),
      () => updateKey(owner, keyId, { name: 'another name' }),
      () => fixture.auth.rotateKey(keyId, 0),
      () => fixture.auth.updateAccount(accountId, { name: 'Another name' }),
      () => fixture.auth.suspend(accountId, 'a reason'),
      () => nodes.createProject('Search'),
      () => nodes.updateProject(projectId, { enabled: false }),
      () => nodes.deleteProject(projectId),
      () => nodes.createServiceAccount(projectId, 'cd'),
      () => nodes.updateServiceAccount(made, { enabled: false }),
      () => nodes.deleteServiceAccount(made),
      () => nodes.updateMember(projectId, developer.personId, { enabled: false }),
      () => createKey(owner, { projectId }),
      () => updateKey(owner, keyId, { projectId }),
      () => createManagementKey(owner.call, Role.BILLING),
      () =>
        owner.call((client) => client.deleteManagementKey.bind(client), {
          ...{ accountId, managementKeyId: managementKey?.managementKeyId ?? '' },
        }),
      () => people.invite(newEmail(), Role.BILLING, accountId),
      () => people.accept(open),
      () => owner.call((client) => client.deleteInvitation.bind(client), { accountId, invitationId }),
      () => people.operator((client) => client.updatePerson.bind(client), person),
      () =>
        people.operator((client) => client.createPasswordReset.bind(client), {
          ...forReset,
          ...newLinkSecret(),
        }),
      () =>
        people.operator((client) => client.resetPassword.bind(client), {
          ...{ secretSha256: resets.secretSha256, passwordHash: PASSWORD_HASH.replace('t=2', 't=3') },
        }),
      () =>
        owner.call((client) => client.updateMember.bind(client), {
          ...{ accountId, personId: developer.personId, role: Role.BILLING, projectIds: undefined },
        }),
      () => owner.call((client) => client.removeMember.bind(client), { accountId, personId: developer.personId }),
      () => people.operator((client) => client.removeOperator.bind(client), { personId: operator.personId }),
      () => fixture.auth.deleteKey(keyId),
    ];
    const before = await tables();
    await pool.query('ALTER TABLE auth.audit ADD CONSTRAINT is_full CHECK (false) NOT VALID');
    try {
      for (const change of changes) await expect(change(), change.toString()).rejects.toMatchObject({ code: 13 });
    } finally {
      await pool.query('ALTER TABLE auth.audit DROP CONSTRAINT is_full');
    }
    expect(await tables()).toEqual(before);
  });

  it('names who did what to what', async () => {
    const { key } = await createKey(developer);
    const { keyId = '' } = key ?? {};
    await updateKey(admin, keyId, { caps: { dayNanos: 5_000_000_000n } });
    await fixture.auth.deleteKey(keyId);
    expect(await actionsOf(keyId)).toEqual(['key.create', 'key.update', 'key.delete']);
    const all = { startMs: 0n, endMs: inOneDay(), limit: 10, beforeEntryId: '', actorId: '', action: '' };
    const { entries } = await owner.call((client) => client.listAudit.bind(client), {
      ...{ ...all, accountId, targetId: keyId },
    });
    expect(entries.map(({ actor, details }) => ({ ...actor, details }))).toMatchObject([
      { actorId: '', name: 'test operator', role: 'operator', via: 'cli' },
      { actorId: admin.personId, name: admin.person.email, role: 'admin', details: { day_cap: 'none → $5' } },
      { actorId: developer.personId, name: developer.person.email, role: 'developer', via: 'console' },
    ]);
    const asDeveloper = developer.call((client) => client.listAudit.bind(client), { ...all, accountId, targetId: '' });
    await expect(asDeveloper).rejects.toMatchObject({ code: 7 });
  });

  it('contains no secret', async () => {
    const { secret } = await createKey(owner);
    const { secret: managementSecret } = await createManagementKey(owner.call, Role.ADMIN);
    const secretSha256 = await people.invite(newEmail(), Role.BILLING, accountId);
    await people.accept(secretSha256);
    const { rows } = await pool.query('SELECT string_agg(a::text, chr(10)) AS text FROM auth.audit a');
    const { text } = rows[0];
    expect(text).toContain('management_key.create');
    for (const hidden of [secret, managementSecret, secretSha256.toString('hex'), PASSWORD_HASH, '$argon2id$']) {
      expect(text).not.toContain(hidden);
    }
  });
});

/** What is in all tables that changes write, except the audit log. */
async function tables(): Promise<unknown[]> {
  const names = [
    'accounts',
    'nodes',
    'keys',
    'people',
    'memberships',
    'invitations',
    'password_resets',
    'management_keys',
  ];
  return Promise.all(
    [...names, 'revocations'].map(async (name) => {
      const { rows } = await pool.query(`SELECT t::text AS row FROM auth.${name} t ORDER BY 1`);
      return { name, rows: rows.map(({ row }) => row) };
    }),
  );
}
