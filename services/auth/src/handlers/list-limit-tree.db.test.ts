import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { CapSetter, type ListLimitTreeResponse, NodeScope, NodeStatus, Role } from '@tollgate/proto/auth';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { Nodes } from '../../testing/nodes.ts';
import { People } from '../../testing/people.ts';
import { MAX_TREE_NODES } from './list-limit-tree.ts';

let fixture: AuthFixture;
let people: People;
let accountId: string;
let nodes: Nodes;

beforeAll(async () => {
  fixture = await startAuth();
  people = new People(fixture.auth);
});
beforeEach(async () => {
  ({ accountId } = await fixture.auth.createAccount());
  nodes = new Nodes(fixture.auth, accountId);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

async function tree(only: { projectId?: string; parentKeyId?: string } = {}): Promise<ListLimitTreeResponse> {
  const { client } = fixture.auth;
  const request = { accountId, projectId: undefined, parentKeyId: undefined, ...only };
  return unaryCall(client.listLimitTree.bind(client), request, { deadlineMs: 20_000 });
}

it('has projects, then owners, then keys, each with its parent and the caps in force', async () => {
  const { projectId } = await nodes.createProject('Research', { caps: { monthNanos: 9n }, eachKey: { dayNanos: 2n } });
  const { serviceAccountId } = await nodes.createServiceAccount(projectId, 'ci', { caps: { weekNanos: 4n } });
  const { key: owned } = await fixture.auth.createKey(accountId, { serviceAccountId, name: 'owned' });
  const { key: free } = await fixture.auth.createKey(accountId, { name: 'free', caps: { totalNanos: 7n } });
  const { key: derived } = await fixture.auth.deriveKey(owned, { name: 'run' });
  const own = (limitNanos: bigint) => ({ limitNanos, setBy: CapSetter.OWN });
  const { nodes: all, isCut } = await tree();
  expect(isCut).toBe(false);
  expect(all).toMatchObject([
    { scope: NodeScope.PROJECT, nodeId: accountId, parentId: '', name: 'default', appliedCaps: { day: undefined } },
    { scope: NodeScope.PROJECT, nodeId: projectId, name: 'Research', appliedCaps: { month: own(9n) } },
    { scope: NodeScope.SERVICE_ACCOUNT, nodeId: serviceAccountId, parentId: projectId, appliedCaps: { week: own(4n) } },
    { scope: NodeScope.KEY, nodeId: free.keyId, parentId: accountId, name: 'free', appliedCaps: { total: own(7n) } },
    {
      ...{ scope: NodeScope.KEY, nodeId: owned.keyId, parentId: serviceAccountId, status: NodeStatus.ACTIVE },
      ...{ appliedCaps: { day: { limitNanos: 2n, setBy: CapSetter.PROJECT } }, hasDerivedKeys: true },
    },
  ]);
  expect((await tree({ projectId })).nodes.map(({ nodeId }) => nodeId)).toEqual([
    projectId,
    serviceAccountId,
    owned.keyId,
  ]);
  expect((await tree({ parentKeyId: owned.keyId })).nodes).toMatchObject([
    { nodeId: derived.keyId, parentId: owned.keyId, hasDerivedKeys: false },
  ]);
});

it('says what is off, and leaves out what is gone', async () => {
  const kept = await nodes.createProject('Kept');
  const gone = await nodes.createProject('Gone');
  const owner = await nodes.createServiceAccount(gone.projectId, 'ci');
  const left = await nodes.createServiceAccount(kept.projectId, 'left');
  await fixture.auth.createKey(accountId, { serviceAccountId: owner.serviceAccountId });
  await fixture.auth.createKey(accountId, { serviceAccountId: left.serviceAccountId });
  const { key: expired } = await fixture.auth.createKey(accountId, { expiresAtMs: BigInt(Date.now() + 3_600_000) });
  await fixture.pool.query(`UPDATE auth.keys SET expires_at = now() WHERE key_id = $1`, [expired.keyId]);
  const { key: deleted } = await fixture.auth.createKey(accountId);
  const { key } = await fixture.auth.createKey(accountId, { projectId: kept.projectId });
  await fixture.auth.deleteKey(deleted.keyId);
  await nodes.deleteProject(gone.projectId);
  await nodes.deleteServiceAccount(left);
  await nodes.updateProject(kept.projectId, { enabled: false });
  expect((await tree()).nodes.map(({ nodeId, status }) => [nodeId, status])).toEqual([
    [accountId, NodeStatus.ACTIVE],
    [kept.projectId, NodeStatus.OFF],
    [key.keyId, NodeStatus.OFF],
  ]);
});

it('has at most 1,000, and says that there are more', async () => {
  const insert = (count: number) =>
    fixture.pool.query(
      `INSERT INTO auth.keys (key_id, account_id, key_sha256, name, display_prefix, last_four)
       SELECT ('0190a0b0-0000-7000-8000-' || right(md5($1 || i), 12))::uuid, $1::uuid, sha256(($1 || i)::bytea), 'k' || i, 'sk', 'abcd'
       FROM generate_series(1, $2) AS i`,
      [accountId, count],
    );
  await insert(MAX_TREE_NODES - 1);
  expect(await tree()).toMatchObject({ isCut: false, nodes: { length: MAX_TREE_NODES } });
  await fixture.auth.createKey(accountId, { name: 'newest' });
  const { nodes: all, isCut } = await tree();
  expect({ isCut, length: all.length, first: all[1]?.name }).toEqual({ isCut: true, length: 1_000, first: 'newest' });
});

it('is for owners and admins, of their account', async () => {
  const request = { accountId, projectId: undefined, parentKeyId: undefined };
  const ask = async (role: Role, of = accountId) =>
    (await people.member(of, role)).call((client) => client.listLimitTree.bind(client), request);
  expect((await ask(Role.ADMIN)).nodes).toHaveLength(1);
  for (const role of [Role.DEVELOPER, Role.BILLING]) await expect(ask(role)).rejects.toMatchObject({ code: 7 });
  const { accountId: other } = await fixture.auth.createAccount();
  await expect(ask(Role.OWNER, other)).rejects.toMatchObject({ code: 7 });
  const { client } = fixture.auth;
  const wrong = { ...request, projectId: 'nonsense' };
  await expect(unaryCall(client.listLimitTree.bind(client), wrong, { deadlineMs: 20_000 })).rejects.toMatchObject({
    code: 3,
  });
  expect((await tree({ projectId: newId() })).nodes).toEqual([]);
});
