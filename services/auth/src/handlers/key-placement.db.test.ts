import { createHash } from 'node:crypto';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { type ApiKey, CreateKeyRequest, KeyStatus, OwnerKind, Role, UpdateKeyRequest } from '@tollgate/proto/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { inOneDay, People, type SomePerson } from '../../testing/people.ts';

let fixture: AuthFixture;
let people: People;
let accountId: string;
let nodes: Nodes;
let projectId: string;
let serviceAccountId: string;
let owner: SomePerson;
let developer: SomePerson;

beforeAll(async () => {
  fixture = await startAuth();
  people = new People(fixture.auth);
});
beforeEach(async () => {
  ({ accountId } = await fixture.auth.createAccount());
  nodes = new Nodes(fixture.auth, accountId);
  ({ projectId } = await nodes.createProject('Research'));
  ({ serviceAccountId } = await nodes.createServiceAccount(projectId, 'ci'));
  owner = await people.member(accountId, Role.OWNER);
  developer = await people.member(accountId, Role.DEVELOPER);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

type Place = { projectId?: string; serviceAccountId?: string };

async function create({ call }: Pick<SomePerson, 'call'>, place: Place = {}): Promise<ApiKey> {
  const request = CreateKeyRequest.fromPartial({ accountId, name: 'a key', ...place });
  return required((await call((client) => client.createKey.bind(client), request)).key);
}

async function move({ call }: Pick<SomePerson, 'call'>, keyId: string, place: Place): Promise<ApiKey> {
  const request = UpdateKeyRequest.fromPartial({ accountId, keyId, ...place });
  return required((await call((client) => client.updateKey.bind(client), request)).key);
}

const operator = () => ({ call: people.operator });
const ofPerson = ({ personId, person }: SomePerson) => ({ kind: OwnerKind.MEMBER, id: personId, name: person.email });
const ofProgram = () => ({ kind: OwnerKind.SERVICE_ACCOUNT, id: serviceAccountId, name: 'ci' });
const inDefault = () => ({ projectId: accountId, projectName: 'default' });
const inResearch = () => ({ projectId, projectName: 'Research' });

async function list(of?: string): Promise<ApiKey[]> {
  const { client } = fixture.auth;
  const request = { accountId, pageSize: 0, pageToken: '', ...(of === undefined ? {} : { projectId: of }) };
  return (await unaryCall(client.listKeys.bind(client), request, { deadlineMs: 10_000 })).keys;
}

describe('a new key', () => {
  it('belongs to the member who makes it, in the project default or in another one', async () => {
    expect(await create(developer)).toMatchObject({ ...inDefault(), owner: ofPerson(developer) });
    expect(await create(developer, { projectId })).toMatchObject({ ...inResearch(), owner: ofPerson(developer) });
    expect(await create(owner, { projectId })).toMatchObject({ ...inResearch(), owner: ofPerson(owner) });
    await create(developer, { projectId });
    expect((await nodes.members(projectId)).map(({ email }) => email)).toEqual([
      developer.person.email,
      owner.person.email,
    ]);
    expect((await nodes.members(accountId)).map(({ email }) => email)).toEqual([developer.person.email]);
  });

  it('gives a member one place in a project, also with several keys at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => create(developer, { projectId })));
    expect(await nodes.members(projectId)).toHaveLength(1);
  });

  it('belongs to a service account, whose project it is in', async () => {
    expect(await create(owner, { serviceAccountId })).toMatchObject({ ...inResearch(), owner: ofProgram() });
    expect(await create(operator(), { projectId, serviceAccountId })).toMatchObject({ owner: ofProgram() });
    const elsewhere = create(owner, { projectId: accountId, serviceAccountId });
    await expect(elsewhere).rejects.toMatchObject({ code: 5, details: 'no such service account' });
  });

  it('belongs to nobody if an operator or a management key makes it', async () => {
    expect(await create(operator(), { projectId })).toMatchObject({ ...inResearch(), owner: undefined });
    const request = { accountId, name: 'a program', role: Role.ADMIN, expiresAtMs: inOneDay() };
    const { secret } = await owner.call((client) => client.createManagementKey.bind(client), request);
    const issue = { keySha256: createHash('sha256').update(secret).digest() };
    const program = people.callsWith(
      async () => (await people.operator((client) => client.issueManagementKeyToken.bind(client), issue)).token,
    );
    expect(await create({ call: program })).toMatchObject({ ...inDefault(), owner: undefined });
  });

  it('is not given to a service account by a developer', async () => {
    const refused = { code: 7, details: expect.stringContaining('service_account_id: ') };
    await expect(create(developer, { serviceAccountId })).rejects.toMatchObject(refused);
  });

  it.each<[string, number, Place]>([
    ['project_id', 3, { projectId: 'x' }],
    ['service_account_id', 3, { serviceAccountId: 'x' }],
    ['no such project', 5, { projectId: newId() }],
    ['no such service account', 5, { serviceAccountId: newId() }],
  ])('is refused with a message that names %s', async (text, code, place) => {
    await expect(create(owner, place)).rejects.toMatchObject({ code, details: expect.stringContaining(text) });
  });
});

describe('a key', () => {
  it('moves to another project, where a member goes on to own it', async () => {
    const { keyId } = await create(developer);
    expect(await move(owner, keyId, { projectId })).toMatchObject({ ...inResearch(), owner: ofPerson(developer) });
    expect(await move(owner, keyId, { projectId: accountId })).toMatchObject({
      ...inDefault(),
      owner: ofPerson(developer),
    });
    expect(await nodes.members(projectId)).toHaveLength(1);
    const nobodys = await create(operator());
    expect(await move(owner, nobodys.keyId, { projectId })).toMatchObject({ ...inResearch(), owner: undefined });
  });

  it('gets a service account as its owner, and back the member who made it', async () => {
    const { keyId } = await create(developer);
    expect(await move(owner, keyId, { serviceAccountId })).toMatchObject({ ...inResearch(), owner: ofProgram() });
    const elsewhere = move(owner, keyId, { projectId: accountId });
    await expect(elsewhere).rejects.toMatchObject({
      code: 3,
      details: expect.stringContaining('service_account_id: '),
    });
    expect(await move(owner, keyId, { projectId })).toMatchObject({ owner: ofProgram() });
    const back = { projectId: accountId, serviceAccountId: '' };
    expect(await move(owner, keyId, back)).toMatchObject({ ...inDefault(), owner: ofPerson(developer) });
    const nobodys = await create(operator(), { serviceAccountId });
    expect(await move(owner, nobodys.keyId, { serviceAccountId: '' })).toMatchObject({ owner: undefined });
  });

  it('is moved by no developer, and not to what is deleted', async () => {
    const { keyId } = await create(developer);
    await expect(move(developer, keyId, { projectId })).rejects.toMatchObject({ code: 7 });
    await expect(move(developer, keyId, { serviceAccountId: '' })).rejects.toMatchObject({ code: 7 });
    await nodes.deleteProject(projectId);
    await expect(move(owner, keyId, { projectId })).rejects.toMatchObject({ code: 9 });
    await expect(move(owner, keyId, { serviceAccountId })).rejects.toMatchObject({ code: 9 });
    expect(await list()).toMatchObject([{ ...inDefault(), owner: ofPerson(developer), status: KeyStatus.ACTIVE }]);
  });

  it('stays dead with the project or the service account that is deleted, wherever it is moved', async () => {
    const own = await create(developer, { projectId });
    const programs = await create(owner, { serviceAccountId });
    await nodes.deleteServiceAccount({ projectId, serviceAccountId });
    const gone = { code: 9, details: 'the service account is deleted' };
    await expect(move(owner, programs.keyId, { serviceAccountId: '' })).rejects.toMatchObject(gone);
    await nodes.deleteProject(projectId);
    await expect(move(owner, own.keyId, { projectId: accountId })).rejects.toMatchObject({
      code: 9,
      details: 'the project is deleted',
    });
    expect((await list()).map(({ status }) => status)).toEqual([KeyStatus.OFF, KeyStatus.OFF]);
  });

  it('is listed with its project, and as off while what is above it is', async () => {
    const [own, programs] = [await create(developer), await create(owner, { serviceAccountId })];
    expect((await list(accountId)).map(({ keyId }) => keyId)).toEqual([own.keyId]);
    expect((await list(projectId)).map(({ keyId }) => keyId)).toEqual([programs.keyId]);
    expect(await list(newId())).toEqual([]);
    const statuses = async () => (await list()).map(({ status }) => status);
    await nodes.updateServiceAccount({ projectId, serviceAccountId }, { enabled: false });
    expect(await statuses()).toEqual([KeyStatus.OFF, KeyStatus.ACTIVE]);
    await nodes.updateServiceAccount({ projectId, serviceAccountId }, { enabled: true });
    expect(await statuses()).toEqual([KeyStatus.ACTIVE, KeyStatus.ACTIVE]);
    await nodes.deleteProject(projectId);
    await nodes.updateMember(accountId, developer.personId, { enabled: false });
    expect(await statuses()).toEqual([KeyStatus.OFF, KeyStatus.OFF]);
    await fixture.auth.deleteKey(own.keyId);
    expect(await statuses()).toEqual([KeyStatus.OFF, KeyStatus.DELETED]);
  });

  it('of a removed member goes on to be theirs, and can be switched off with all of theirs', async () => {
    const { keyId } = await create(developer);
    const { personId } = developer;
    await owner.call((client) => client.removeMember.bind(client), { accountId, personId });
    expect(await move(owner, keyId, { projectId })).toMatchObject({ owner: ofPerson(developer) });
    await nodes.updateMember(projectId, personId, { enabled: false });
    expect(await list()).toMatchObject([{ keyId, status: KeyStatus.OFF }]);
  });
});
