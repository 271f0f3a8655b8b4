import { createHash } from 'node:crypto';
import { newId } from '@tollgate/common/ids';
import type { Pool } from '@tollgate/common/postgres/pool';
import { CreateKeyRequest, Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { type AuthUnderTest, required } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { type CallAs, inOneDay, newEmail, newLinkSecret, People } from '../../testing/people.ts';

let fixture: AuthFixture;
let auth: AuthUnderTest;
let pool: Pool;
let people: People;

beforeAll(async () => {
  fixture = await startAuth();
  ({ auth, pool } = fixture);
  people = new People(auth);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

/** An account with one owner and one admin. */
async function setUp() {
  const { accountId } = await auth.createAccount();
  const owner = await people.member(accountId, Role.OWNER);
  const admin = await people.member(accountId, Role.ADMIN);
  return { accountId, owner, admin };
}

const setRole = (call: CallAs, accountId: string, personId: string, role: Role, ids?: string[]) =>
  call((client) => client.updateMember.bind(client), {
    ...{ accountId, personId, role },
    projectIds: ids === undefined ? undefined : { ids },
  });
const remove = (call: CallAs, accountId: string, personId: string) =>
  call((client) => client.removeMember.bind(client), { accountId, personId });
const invite = (call: CallAs, accountId: string, email: string, role: Role) => {
  const { secretSha256 } = newLinkSecret();
  const request = { accountId, email, role, secretSha256, expiresAtMs: inOneDay() };
  return call((client) => client.createInvitation.bind(client), request);
};

async function rolesOf(accountId: string): Promise<Map<string, Role>> {
  const { members } = await people.operator((client) => client.listMembers.bind(client), { accountId });
  return new Map(members.map(({ person, role }) => [person?.personId ?? '', role]));
}

/** How many calls succeeded, and the gRPC codes of the others. */
function outcomes(results: PromiseSettledResult<unknown>[]): { succeeded: number; codes: unknown[] } {
  const failed = results.filter((result) => result.status === 'rejected');
  return { succeeded: results.length - failed.length, codes: failed.map(({ reason }) => reason.code) };
}

describe('the last owner', () => {
  it('can neither be removed nor get another role, not even by an operator', async () => {
    const { accountId, owner } = await setUp();
    for (const call of [owner.call, people.operator]) {
      await expect(remove(call, accountId, owner.personId)).rejects.toMatchObject({ code: 9 });
      await expect(setRole(call, accountId, owner.personId, Role.ADMIN)).rejects.toMatchObject({ code: 9 });
    }
    expect((await rolesOf(accountId)).get(owner.personId)).toBe(Role.OWNER);
  });

  it('stays when all owners leave or change their roles at the same time', async () => {
    const { accountId } = await auth.createAccount();
    const owners = await Promise.all(Array.from({ length: 4 }, () => people.member(accountId, Role.OWNER)));
    const results = await Promise.allSettled(
      owners.map(({ call, personId }, index) =>
        index % 2 === 0 ? remove(call, accountId, personId) : setRole(call, accountId, personId, Role.BILLING),
      ),
    );
    expect(outcomes(results)).toEqual({ succeeded: 3, codes: [9] });
    expect([...(await rolesOf(accountId)).values()].filter((role) => role === Role.OWNER)).toHaveLength(1);
  });
});

describe('an admin', () => {
  it('neither makes, changes, removes nor invites owners', async () => {
    const { accountId, owner, admin } = await setUp();
    const second = await people.member(accountId, Role.OWNER);
    const denied = { code: 7 };
    await expect(setRole(admin.call, accountId, admin.personId, Role.OWNER)).rejects.toMatchObject(denied);
    await expect(setRole(admin.call, accountId, second.personId, Role.BILLING)).rejects.toMatchObject(denied);
    await expect(remove(admin.call, accountId, second.personId)).rejects.toMatchObject(denied);
    await expect(invite(admin.call, accountId, newEmail(), Role.OWNER)).rejects.toMatchObject(denied);
    expect(await rolesOf(accountId)).toEqual(
      new Map([
        [owner.personId, Role.OWNER],
        [admin.personId, Role.ADMIN],
        [second.personId, Role.OWNER],
      ]),
    );
  });

  it('neither replaces nor withdraws the invitation of an owner', async () => {
    const { accountId, owner, admin } = await setUp();
    const email = newEmail();
    const { invitation } = await invite(owner.call, accountId, email, Role.OWNER);
    await expect(invite(admin.call, accountId, email, Role.BILLING)).rejects.toMatchObject({ code: 7 });
    const request = { accountId, invitationId: invitation?.invitationId ?? '' };
    const withdraw = (call: CallAs) => call((client) => client.deleteInvitation.bind(client), request);
    await expect(withdraw(admin.call)).rejects.toMatchObject({ code: 7 });
    await withdraw(owner.call);
    await expect(withdraw(owner.call)).rejects.toMatchObject({ code: 5 });
  });

  it('invites, changes and removes other members', async () => {
    const { accountId, admin } = await setUp();
    const other = await people.member(accountId, Role.DEVELOPER);
    await invite(admin.call, accountId, newEmail(), Role.ADMIN);
    await setRole(admin.call, accountId, other.personId, Role.BILLING);
    expect((await rolesOf(accountId)).get(other.personId)).toBe(Role.BILLING);
    await remove(admin.call, accountId, other.personId);
    expect((await rolesOf(accountId)).has(other.personId)).toBe(false);
    await expect(remove(admin.call, accountId, other.personId)).rejects.toMatchObject({ code: 5 });
  });

  it('reaches no other account', async () => {
    const { admin } = await setUp();
    const other = await setUp();
    await expect(remove(admin.call, other.accountId, other.admin.personId)).rejects.toMatchObject({ code: 7 });
    await expect(invite(admin.call, '', newEmail(), Role.OPERATOR)).rejects.toMatchObject({ code: 7 });
  });
});

describe('the projects of a developer', () => {
  it('are set by admins, named by their tokens, and gone with another role', async () => {
    const { accountId, admin } = await setUp();
    const developer = await people.member(accountId, Role.DEVELOPER);
    const { personId } = developer;
    const nodes = new Nodes(auth, accountId);
    const { projectId: one } = await nodes.createProject('one');
    const { projectId: two } = await nodes.createProject('two');
    const made = await Promise.all([one, two].map((projectId) => auth.createKey(accountId, { projectId })));
    const keyIds = made.map(({ key }) => key.keyId);
    await pool.query('UPDATE auth.keys SET created_by_id = $1 WHERE key_id = ANY ($2)', [personId, keyIds]);
    const claims = async () => {
      const request = { personId, accountId, viewAs: false };
      const { token } = await people.operator((client) => client.issueActorToken.bind(client), request);
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    };
    expect((await claims()).projects).toBeUndefined();
    const { member } = await setRole(admin.call, accountId, personId, Role.UNSPECIFIED, [two]);
    expect(member).toMatchObject({ role: Role.DEVELOPER, projectIds: [two] });
    expect(await claims()).toMatchObject({ projects: [two], keys: [keyIds[1]] });
    await setRole(admin.call, accountId, personId, Role.DEVELOPER);
    expect((await claims()).projects).toEqual([two]);
    await setRole(admin.call, accountId, personId, Role.DEVELOPER, []);
    expect(await claims()).not.toHaveProperty('projects');
    await setRole(admin.call, accountId, personId, Role.DEVELOPER, [one, two]);
    await setRole(admin.call, accountId, personId, Role.BILLING);
    await setRole(admin.call, accountId, personId, Role.DEVELOPER);
    expect(await claims()).not.toHaveProperty('projects');
  });

  it('are projects of the account, at most 20, and of no other role', async () => {
    const { accountId, admin, owner } = await setUp();
    const developer = await people.member(accountId, Role.DEVELOPER);
    const { projectId } = await new Nodes(auth, accountId).createProject('one');
    const limit = (personId: string, ids: string[], role: Role = Role.UNSPECIFIED) =>
      setRole(owner.call, accountId, personId, role, ids);
    await expect(limit(developer.personId, [newId()])).rejects.toMatchObject({ code: 5 });
    const many = Array.from({ length: 21 }, () => newId());
    await expect(limit(developer.personId, many)).rejects.toMatchObject({ code: 3 });
    await expect(limit(admin.personId, [projectId])).rejects.toMatchObject({ code: 3 });
    await expect(limit(developer.personId, [projectId], Role.BILLING)).rejects.toMatchObject({
      code: 3,
    });
  });
});

describe('removing a member', () => {
  it('returns the active management keys they made, which stay valid and show that their creator has left', async () => {
    const { accountId, owner, admin } = await setUp();
    const second = await people.member(accountId, Role.OWNER);
    const create = async (call: CallAs, name: string) => {
      const request = { accountId, name, role: Role.ADMIN, expiresAtMs: inOneDay() };
      return required((await call((client) => client.createManagementKey.bind(client), request)).key);
    };
    const kept = await create(second.call, 'kept');
    const deleted = await create(second.call, 'deleted');
    const request = { accountId, managementKeyId: deleted.managementKeyId };
    await second.call((client) => client.deleteManagementKey.bind(client), request);
    const expired = await create(second.call, 'expired');
    await pool.query('UPDATE auth.management_keys SET expires_at = clock_timestamp() WHERE management_key_id = $1', [
      expired.managementKeyId,
    ]);
    await create(owner.call, 'of another owner');
    await create(people.operator, 'of an operator');
    const elsewhere = await auth.createAccount();
    await pool.query('INSERT INTO auth.memberships (account_id, person_id, role) VALUES ($1, $2, $3)', [
      elsewhere.accountId,
      second.personId,
      'owner',
    ]);
    await people.callsOf(second.personId, elsewhere.accountId)((client) => client.createManagementKey.bind(client), {
      ...{ accountId: elsewhere.accountId, name: 'elsewhere', role: Role.OWNER, expiresAtMs: inOneDay() },
    });
    await setRole(owner.call, accountId, second.personId, Role.DEVELOPER);
    const { managementKeys } = await remove(admin.call, accountId, second.personId);
    const createdBy = { personId: second.personId, name: second.person.email, removed: true };
    expect(managementKeys).toEqual([{ ...kept, createdBy }]);
    const { keys } = await owner.call((client) => client.listManagementKeys.bind(client), { accountId });
    expect(keys.map(({ name, createdBy }) => [name, createdBy?.removed])).toEqual([
      ['of an operator', false],
      ['of another owner', false],
      ['expired', true],
      ['deleted', true],
      ['kept', true],
    ]);
  });

  it('returns the active keys they made, which stay valid, and ends their access', async () => {
    const { accountId, owner } = await setUp();
    const developer = await people.member(accountId, Role.DEVELOPER);
    const create = (name: string) =>
      developer.call((client) => client.createKey.bind(client), CreateKeyRequest.fromPartial({ accountId, name }));
    const kept = await create('kept');
    const deleted = await create('deleted');
    await auth.deleteKey(deleted.key?.keyId ?? '');
    await auth.createKey(accountId);
    const { keys } = await remove(owner.call, accountId, developer.personId);
    expect(keys.map(({ keyId }) => keyId)).toEqual([kept.key?.keyId]);
    const list = () =>
      developer.call((client) => client.listKeys.bind(client), { accountId, pageSize: 0, pageToken: '' });
    await expect(list()).rejects.toMatchObject({ code: 7 });
  });
});

describe('the last operator', () => {
  const removeOperator = (call: CallAs, personId: string) =>
    call((client) => client.removeOperator.bind(client), { personId });

  it('cannot be removed, also when all are removed at the same time', async () => {
    const operators = await Promise.all(Array.from({ length: 4 }, () => people.newOperator()));
    const results = await Promise.allSettled(
      operators.map(({ personId }) => removeOperator(people.operator, personId)),
    );
    expect(outcomes(results)).toEqual({ succeeded: 3, codes: [9] });
    const { rows } = await pool.query('SELECT person_id FROM auth.people WHERE is_operator');
    expect(rows).toHaveLength(1);
    await expect(removeOperator(people.operator, rows[0].person_id)).rejects.toMatchObject({ code: 9 });
  });

  it('leaves the management keys they made, which show that their creator has left', async () => {
    await people.newOperator();
    const { personId, call } = await people.newOperator();
    const request = { accountId: '', name: 'of all accounts', role: Role.OPERATOR, expiresAtMs: inOneDay() };
    const { key } = await call((client) => client.createManagementKey.bind(client), request);
    expect(key).toMatchObject({ createdBy: { personId, removed: false } });
    await removeOperator(people.operator, personId);
    const { keys } = await people.operator((client) => client.listManagementKeys.bind(client), { accountId: '' });
    expect(keys).toEqual([{ ...key, createdBy: { ...key?.createdBy, removed: true } }]);
  });

  it('is an operator: other people are not found', async () => {
    const { owner } = await setUp();
    await expect(removeOperator(people.operator, owner.personId)).rejects.toMatchObject({ code: 5 });
    await expect(removeOperator(people.operator, newId())).rejects.toMatchObject({ code: 5 });
  });
});

describe('somebody whose token has outlived their role', () => {
  /** What would let them, or somebody else, in again. */
  const attempts = (call: CallAs, accountId: string, personId: string) => [
    () => invite(call, accountId, newEmail(), Role.ADMIN),
    () => setRole(call, accountId, personId, Role.ADMIN),
  ];
  const createKey = (call: CallAs, accountId: string, role: Role) =>
    call((client) => client.createManagementKey.bind(client), {
      ...{ accountId, name: 'a way back', role, expiresAtMs: inOneDay() },
    });
  const taken = { code: 7, details: expect.stringContaining('has been taken away') };
  /** Calls with the token that a person has now. */
  const keepToken = async (personId: string, accountId: string): Promise<CallAs> => {
    const request = { personId, accountId, viewAs: false };
    const { token } = await people.operator((client) => client.issueActorToken.bind(client), request);
    return people.callsWith(async () => token);
  };

  it('neither invites nor promotes anybody nor creates management keys, as a removed or demoted owner', async () => {
    const { accountId, owner } = await setUp();
    const accomplice = await people.member(accountId, Role.DEVELOPER);
    const [removed, demoted] = [await people.member(accountId, Role.OWNER), await people.member(accountId, Role.OWNER)];
    const calls = [await keepToken(removed.personId, accountId), await keepToken(demoted.personId, accountId)];
    await remove(owner.call, accountId, removed.personId);
    await setRole(owner.call, accountId, demoted.personId, Role.ADMIN);
    for (const call of calls) {
      for (const attempt of attempts(call, accountId, accomplice.personId))
        await expect(attempt()).rejects.toMatchObject(taken);
      await expect(createKey(call, accountId, Role.OWNER)).rejects.toMatchObject(taken);
    }
    expect((await rolesOf(accountId)).get(accomplice.personId)).toBe(Role.DEVELOPER);
  });

  it('gets no key of the account any more, new or rotated', async () => {
    const { accountId, owner } = await setUp();
    const [developer, demoted] = [
      await people.member(accountId, Role.DEVELOPER),
      await people.member(accountId, Role.ADMIN),
    ];
    const create = (call: CallAs) =>
      call((client) => client.createKey.bind(client), CreateKeyRequest.fromPartial({ accountId, name: 'kept' }));
    for (const { personId } of [developer, demoted]) {
      const call = await keepToken(personId, accountId);
      const keyId = (await create(call)).key?.keyId ?? '';
      if (personId === developer.personId) await remove(owner.call, accountId, personId);
      else await setRole(owner.call, accountId, personId, Role.BILLING);
      const rotation = { accountId, keyId, overlapMs: 0n, idempotencyKey: '', withDerived: false };
      await expect(create(call)).rejects.toMatchObject(taken);
      await expect(call((client) => client.rotateKey.bind(client), rotation)).rejects.toMatchObject(taken);
    }
  });

  it('still gets keys with a higher role than before', async () => {
    const { accountId, owner } = await setUp();
    const { personId } = await people.member(accountId, Role.DEVELOPER);
    const call = await keepToken(personId, accountId);
    await setRole(owner.call, accountId, personId, Role.ADMIN);
    const request = CreateKeyRequest.fromPartial({ accountId, name: 'as an admin' });
    expect((await call((client) => client.createKey.bind(client), request)).key).toMatchObject({ name: 'as an admin' });
  });

  it('may do as an owner what they might do before', async () => {
    const { accountId, owner, admin } = await setUp();
    const call = await keepToken(admin.personId, accountId);
    await setRole(owner.call, accountId, admin.personId, Role.OWNER);
    await invite(call, accountId, newEmail(), Role.ADMIN);
  });

  it('does neither as a removed operator, nor with a deleted management key', async () => {
    const { accountId } = await setUp();
    const accomplice = await people.member(accountId, Role.DEVELOPER);
    await people.newOperator();
    const { personId } = await people.newOperator();
    const operator = await keepToken(personId, '');
    await people.operator((client) => client.removeOperator.bind(client), { personId });
    await expect(createKey(operator, '', Role.OPERATOR)).rejects.toMatchObject(taken);
    await expect(invite(operator, '', newEmail(), Role.OPERATOR)).rejects.toMatchObject(taken);
    const { key, secret } = await createKey(people.operator, accountId, Role.OWNER);
    const keySha256 = createHash('sha256').update(secret).digest();
    const issued = await people.operator((client) => client.issueManagementKeyToken.bind(client), { keySha256 });
    const program = people.callsWith(async () => issued.token);
    await invite(program, accountId, newEmail(), Role.ADMIN);
    const deletion = { accountId, managementKeyId: key?.managementKeyId ?? '' };
    await people.operator((client) => client.deleteManagementKey.bind(client), deletion);
    for (const call of [operator, program]) {
      for (const attempt of attempts(call, accountId, accomplice.personId))
        await expect(attempt()).rejects.toMatchObject(taken);
    }
  });
});

describe('viewing an account as an operator', () => {
  it('shows what an owner sees and changes nothing', async () => {
    const { accountId, owner } = await setUp();
    const operator = await people.newOperator();
    const view = people.callsOf(operator.personId, accountId, true);
    const { account } = await view((client) => client.getAccount.bind(client), { accountId });
    expect(account?.accountId).toBe(accountId);
    expect((await view((client) => client.listMembers.bind(client), { accountId })).members).toHaveLength(2);
    await expect(remove(view, accountId, owner.personId)).rejects.toMatchObject({ code: 7 });
    const other = (await auth.createAccount()).accountId;
    const seen = view((client) => client.getAccount.bind(client), { accountId: other });
    await expect(seen).rejects.toMatchObject({ code: 7 });
  });

  it('is refused to members', async () => {
    const { accountId, owner } = await setUp();
    const view = people.callsOf(owner.personId, accountId, true);
    const seen = view((client) => client.getAccount.bind(client), { accountId });
    await expect(seen).rejects.toMatchObject({ code: 7, details: 'the person is not an operator' });
    const begun = owner.call((client) => client.beginViewAs.bind(client), { accountId });
    await expect(begun).rejects.toMatchObject({ code: 7 });
  });
});

describe('an owner', () => {
  it('changes only the name of the account', async () => {
    const { accountId, owner } = await setUp();
    const update = (changes: object) =>
      owner.call((client) => client.updateAccount.bind(client), {
        ...{ accountId, name: undefined, discountPpm: undefined, limits: undefined, priceRules: undefined, ...changes },
      });
    expect((await update({ name: 'Research' })).account?.name).toBe('Research');
    await expect(update({ discountPpm: 1 })).rejects.toMatchObject({ code: 7 });
    await expect(update({ priceRules: { rules: [] } })).rejects.toMatchObject({ code: 7 });
    await expect(update({ name: 'X', limits: {} })).rejects.toMatchObject({ code: 7 });
    const suspension = owner.call((client) => client.suspendAccount.bind(client), { accountId, reason: 'x' });
    await expect(suspension).rejects.toMatchObject({ code: 7 });
  });
});
