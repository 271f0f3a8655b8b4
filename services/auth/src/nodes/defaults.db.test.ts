import { unaryCall } from '@tollgate/common/grpc/client';
import { sha256Hex } from '@tollgate/common/keys/index';
import {
  type ApiKey,
  type AppliedCaps,
  CapSetter,
  type KeyRecord,
  NodeScope,
  Role,
  type SpendingCaps,
} from '@tollgate/proto/auth';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { People } from '../../testing/people.ts';

let fixture: AuthFixture;
let people: People;
let account: { accountId: string; tag: string };
let nodes: Nodes;
let projectId: string;

beforeAll(async () => {
  fixture = await startAuth();
  people = new People(fixture.auth);
});
beforeEach(async () => {
  account = await fixture.auth.createAccount();
  nodes = new Nodes(fixture.auth, account.accountId);
  ({ projectId } = await nodes.createProject('Research'));
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

/** What an ingress gets to know of a key. */
async function recordOf(secret: string): Promise<KeyRecord> {
  const result = await fixture.auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag);
  if (result?.$case !== 'active') throw new Error('the key is not active');
  return result.value;
}

function nodeOf(record: KeyRecord, scope: NodeScope) {
  return required(record.nodes.find((node) => node.scope === scope));
}

it('the least of a default and of its own cap applies to a key, in each period', async () => {
  const caps = { dayNanos: 50n, weekNanos: 10n, totalNanos: 7n };
  const { secret } = await fixture.auth.createKey(account.accountId, { projectId, caps });
  await nodes.updateProject(projectId, { eachKey: { dayNanos: 20n, weekNanos: 30n, monthNanos: 40n } });
  const all: SpendingCaps = { dayNanos: 20n, weekNanos: 10n, monthNanos: 40n, totalNanos: 7n };
  const lowered = await recordOf(secret);
  expect(lowered.caps).toEqual(all);
  await nodes.updateProject(projectId, { eachKey: { dayNanos: 60n } });
  const raised = await recordOf(secret);
  expect(raised.caps).toEqual({ dayNanos: 50n, weekNanos: 10n, monthNanos: undefined, totalNanos: 7n });
  // The key is as it was; it is the project by which the new caps are newer.
  expect(raised.revision).toBe(lowered.revision);
  expect(nodeOf(raised, NodeScope.PROJECT).revision).toBeGreaterThan(nodeOf(lowered, NodeScope.PROJECT).revision);
});

it('the defaults of a project apply to members and service accounts, and both to their keys', async () => {
  const { secret } = await fixture.auth.createKey(account.accountId, {
    serviceAccountId: (
      await nodes.createServiceAccount(projectId, 'ci', { eachKey: { dayNanos: 5n }, eachSessionNanos: 4n })
    ).serviceAccountId,
    eachSessionNanos: 6n,
  });
  expect(await recordOf(secret)).toMatchObject({ caps: { dayNanos: 5n }, sessionNanos: 4n });
  const given = {
    eachKey: { dayNanos: 9n, monthNanos: 8n },
    eachServiceAccount: { weekNanos: 3n },
    eachSessionNanos: 2n,
  };
  const { state } = await nodes.updateProject(projectId, given);
  expect(state).toMatchObject(given);
  const record = await recordOf(secret);
  expect(record).toMatchObject({ caps: { dayNanos: 5n, monthNanos: 8n }, sessionNanos: 2n });
  expect(nodeOf(record, NodeScope.SERVICE_ACCOUNT).caps).toMatchObject({ weekNanos: 3n });
  await nodes.updateProject(projectId, { eachKey: {}, eachServiceAccount: {}, eachSessionNanos: 0n });
  const without = await recordOf(secret);
  expect(without).toMatchObject({ caps: { dayNanos: 5n, monthNanos: undefined }, sessionNanos: 4n });
  expect(nodeOf(without, NodeScope.SERVICE_ACCOUNT).caps).toBeUndefined();
});

it('a key, a service account and a member say which caps are in force and what set each, as ingresses have them', async () => {
  const { accountId } = account;
  await nodes.updateProject(projectId, {
    eachKey: { dayNanos: 20n, weekNanos: 30n },
    eachServiceAccount: { monthNanos: 9n },
    eachSessionNanos: 3n,
  });
  const { serviceAccountId, state } = await nodes.createServiceAccount(projectId, 'ci', {
    caps: { dayNanos: 4n },
    eachKey: { weekNanos: 12n, totalNanos: 90n },
    eachSessionNanos: 2n,
  });
  expect(required(state).appliedCaps).toEqual({
    day: { limitNanos: 4n, setBy: CapSetter.OWN },
    week: undefined,
    month: { limitNanos: 9n, setBy: CapSetter.PROJECT },
    total: undefined,
    session: { limitNanos: 2n, setBy: CapSetter.OWN },
  });
  const { key, secret } = await fixture.auth.createKey(accountId, { serviceAccountId, caps: { totalNanos: 70n } });
  expect(key.appliedCaps).toEqual({
    day: { limitNanos: 20n, setBy: CapSetter.PROJECT },
    week: { limitNanos: 12n, setBy: CapSetter.OWNER },
    month: undefined,
    total: { limitNanos: 70n, setBy: CapSetter.OWN },
    session: { limitNanos: 2n, setBy: CapSetter.OWNER },
  });
  const record = await recordOf(secret);
  expect(inForce(key.appliedCaps)).toEqual({ ...record.caps, sessionNanos: record.sessionNanos });
  const { key: derived } = await fixture.auth.deriveKey(key, { caps: { dayNanos: 5n } });
  const listed = await getKey(derived.keyId);
  expect(listed.appliedCaps).toMatchObject({
    day: { limitNanos: 5n, setBy: CapSetter.OWN },
    week: undefined,
    session: { limitNanos: 2n, setBy: CapSetter.OWNER },
  });
  const lifted = await fixture.auth.updateKey(key.keyId, {
    caps: { dayNanos: 25n },
    eachSessionNanos: 1n,
    exceedsDefaults: true,
  });
  expect(lifted.appliedCaps).toMatchObject({
    day: { limitNanos: 25n, setBy: CapSetter.OWN },
    week: { limitNanos: 12n, setBy: CapSetter.OWNER },
    session: { limitNanos: 1n, setBy: CapSetter.OWN },
  });
  expect((await getKey(derived.keyId)).appliedCaps?.session).toEqual({
    limitNanos: 1n,
    setBy: CapSetter.PARENT_KEY,
  });
});

async function getKey(keyId: string): Promise<ApiKey> {
  const { client } = fixture.auth;
  const { key } = await unaryCall(client.getKey.bind(client), { keyId, accountId: '' }, { deadlineMs: 20_000 });
  return required(key);
}

/** The amounts of caps in force, as the record of a key has them. */
function inForce(caps: AppliedCaps | undefined) {
  return {
    dayNanos: caps?.day?.limitNanos,
    weekNanos: caps?.week?.limitNanos,
    monthNanos: caps?.month?.limitNanos,
    totalNanos: caps?.total?.limitNanos,
    sessionNanos: caps?.session?.limitNanos,
  };
}

it('a cap above a default is refused, unless it is lifted', async () => {
  await nodes.updateProject(projectId, {
    eachKey: { dayNanos: 5_000_000_000n, weekNanos: 9n },
    eachServiceAccount: { totalNanos: 1_000_000_000n },
  });
  const refused = { code: 3, details: expect.stringContaining('caps.day: more than the default above it, $5') };
  const caps = { dayNanos: 6_000_000_000n };
  const { accountId } = account;
  await expect(fixture.auth.createKey(accountId, { projectId, caps })).rejects.toMatchObject(refused);
  const { key, secret } = await fixture.auth.createKey(accountId, { projectId, caps, exceedsDefaults: true });
  expect(key.exceedsDefaults).toBe(true);
  expect(await recordOf(secret)).toMatchObject({ caps: { dayNanos: 6_000_000_000n, weekNanos: 9n } });
  await fixture.auth.updateKey(key.keyId, { exceedsDefaults: false });
  expect(await recordOf(secret)).toMatchObject({ caps: { dayNanos: 5_000_000_000n, weekNanos: 9n } });
  await expect(fixture.auth.updateKey(key.keyId, { caps })).rejects.toMatchObject(refused);
  const create = nodes.createServiceAccount(projectId, 'ci', { caps: { totalNanos: 1_000_000_001n } });
  await expect(create).rejects.toMatchObject({ code: 3, details: expect.stringContaining('caps.total: ') });
  const lifted = { caps: { totalNanos: 2_000_000_000n }, exceedsDefaults: true };
  const { serviceAccountId, state } = await nodes.createServiceAccount(projectId, 'ci', lifted);
  expect(state).toMatchObject(lifted);
  const { secret: below } = await fixture.auth.createKey(accountId, { serviceAccountId });
  const own = nodeOf(await recordOf(below), NodeScope.SERVICE_ACCOUNT);
  expect(own.caps).toMatchObject({ totalNanos: 2_000_000_000n });
});

it('a cap is judged by where the same call moves the key', async () => {
  const strict = await nodes.createProject('Strict', { eachKey: { dayNanos: 5n } });
  const { key } = await fixture.auth.createKey(account.accountId, { projectId });
  const move = (to: string, dayNanos: bigint) =>
    fixture.auth.updateKey(key.keyId, { projectId: to, caps: { dayNanos } });
  await expect(move(strict.projectId, 6n)).rejects.toMatchObject({
    code: 3,
    details: expect.stringContaining('caps.day'),
  });
  await move(strict.projectId, 5n);
  const moved = await move(projectId, 6n);
  expect(moved).toMatchObject({ projectId, caps: { dayNanos: 6n } });
});

it('only an admin lifts it, and the audit log has it', async () => {
  const { accountId } = account;
  const admin = await people.member(accountId, Role.ADMIN);
  const developer = await people.member(accountId, Role.DEVELOPER);
  const { key } = await fixture.auth.createKey(accountId, { projectId });
  const lift = (person: typeof admin, keyId: string) => {
    const attributes = { name: undefined, expiresAtMs: undefined, allowedModels: undefined, caps: undefined };
    const rest = { limits: undefined, tags: undefined, projectId: undefined, serviceAccountId: undefined };
    const request = {
      keyId,
      accountId,
      ...attributes,
      ...rest,
      eachSessionNanos: 1_000_000_000n,
      exceedsDefaults: true,
    };
    return person.call((client) => client.updateKey.bind(client), request);
  };
  await expect(lift(developer, key.keyId)).rejects.toMatchObject({ code: 7 });
  await lift(admin, key.keyId);
  await nodes.updateProject(projectId, { eachMember: { monthNanos: 100_000_000_000n }, eachKey: { dayNanos: 0n } });
  const { rows } = await fixture.pool.query(
    `SELECT details FROM auth.audit WHERE account_id = $1 AND action IN ('key.update', 'project.update') ORDER BY entry_id`,
    [accountId],
  );
  expect(rows.map(({ details }) => details)).toEqual([
    { each_session: 'none → $1', exceeds_defaults: 'none → yes' },
    { each_key: 'none → day $0', each_member: 'none → month $100' },
  ]);
});

it('only a project has members and service accounts, and nothing to exceed', async () => {
  const made = await nodes.createServiceAccount(projectId, 'ci');
  const each = nodes.updateServiceAccount(made, { eachMember: { dayNanos: 1n } });
  await expect(each).rejects.toMatchObject({ code: 3, details: 'each_member: only of a project' });
  const lifted = nodes.updateProject(projectId, { exceedsDefaults: true });
  await expect(lifted).rejects.toMatchObject({ code: 3, details: expect.stringContaining('exceeds_defaults: ') });
});

it('a derived key stays below the root, to which the default applies', async () => {
  await nodes.updateProject(projectId, { eachKey: { dayNanos: 5n } });
  const { key } = await fixture.auth.createKey(account.accountId, { projectId, eachSessionNanos: 3n });
  const { secret } = await fixture.auth.deriveKey(key);
  const record = await recordOf(secret);
  expect(record).toMatchObject({ caps: undefined, sessionNanos: 3n });
  expect(nodeOf(record, NodeScope.KEY).caps).toMatchObject({ dayNanos: 5n });
});
