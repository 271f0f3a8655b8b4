import { newId } from '@tollgate/common/ids';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { actorWith } from '@tollgate/common/testing/actors';
import { AccountStatus, NodeStatus, type Revocation } from '@tollgate/proto/auth';
import { type FreshDatabase, migratedDatabase } from '@tollgate/test-support/stores/fresh-database';
import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuthUnderTest, ScriptedWatcher, silent } from '../../testing/auth-under-test.ts';
import { enroll } from '../../testing/enroll.ts';
import { Nodes } from '../../testing/nodes.ts';

const WAIT = { timeout: 30_000, interval: 5 };

let database: FreshDatabase;
let auth: AuthUnderTest;
let replica: AuthUnderTest;
let pool: Pool;
const watchers: ScriptedWatcher[] = [];

beforeAll(async () => {
  database = await migratedDatabase();
  const settings = { DATABASE_URL: database.url, REDIS_URL: redisUrl(), TRUST_MS: '60000' };
  auth = await AuthUnderTest.start(settings);
  replica = await AuthUnderTest.start(settings);
  pool = createPool({ url: database.url, size: 2, applicationName: 'test' }, silent);
});
afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.cancel();
  await pool.query('DELETE FROM auth.watchers');
});
afterAll(async () => {
  await pool?.end();
  await Promise.all([auth?.stop(), replica?.stop()]);
  await database?.drop();
});

/** A live ingress that confirms only when the test makes it. */
async function watch(at: AuthUnderTest): Promise<ScriptedWatcher> {
  const watcher = new ScriptedWatcher(at.client, newId());
  watchers.push(watcher);
  const ping = watcher.ping(0n);
  await vi.waitFor(() => expect(watcher.isConfirmed(ping)).toBe(true), WAIT);
  return watcher;
}

interface Target {
  accountId: string;
  keyId: string;
  projectId: string;
  serviceAccountId: string;
}

const nodesOf = ({ accountId }: Target) => new Nodes(auth, accountId);

const changes: [string, (target: Target, deadlineMs?: number) => Promise<unknown>, Revocation['what']][] = [
  ['a change of a key', ({ keyId }) => auth.updateKey(keyId, { name: newId() }), of('key')],
  ['a rotation', ({ keyId }) => auth.rotateKey(keyId, 60_000), of('key')],
  ['a change of an account', ({ accountId }) => auth.updateAccount(accountId, { name: newId() }), of('account')],
  ['a suspension', ({ accountId }) => auth.suspend(accountId, 'unpaid'), of('account')],
  ['a change of a project', (of) => nodesOf(of).updateProject(of.projectId, {}, newId()), of('account')],
  ['a project that is switched off', (of) => nodesOf(of).updateProject(of.projectId, OFF), of('account')],
  ['a deletion of a project', (of) => nodesOf(of).deleteProject(of.projectId), of('account')],
  ['a service account that is switched off', (of) => nodesOf(of).updateServiceAccount(of, OFF), of('account')],
  ['a deletion of a service account', (of) => nodesOf(of).deleteServiceAccount(of), of('account')],
  [
    'a limit of a member in a project',
    async (of) => nodesOf(of).updateMember(of.projectId, await memberOf(of.accountId), OFF),
    of('account'),
  ],
  ['a key that is moved', ({ keyId, projectId }) => auth.updateKey(keyId, { projectId }), of('key')],
  ['a deletion', ({ keyId }) => auth.deleteKey(keyId), { $case: 'deadKeySha256', value: expect.any(Buffer) }],
];

function of($case: 'key' | 'account'): Revocation['what'] {
  const revision: bigint = expect.any(BigInt);
  return $case === 'key'
    ? { $case, value: { keyId: expect.any(String), revision } }
    : { $case, value: { accountId: expect.any(String), revision } };
}

async function target(): Promise<Target> {
  const { accountId } = await auth.createAccount();
  const { key } = await auth.createKey(accountId);
  const nodes = new Nodes(auth, accountId);
  const { projectId } = await nodes.createProject('Research');
  const { serviceAccountId } = await nodes.createServiceAccount(projectId, 'ci');
  return { accountId, keyId: key.keyId, projectId, serviceAccountId };
}

async function memberOf(accountId: string): Promise<string> {
  const actor = actorWith({ id: newId(), name: 'dev@example.com', role: 'developer', accountId });
  await enroll(pool, accountId, actor);
  return actor.id;
}

/** Begins something and says whether it has returned. */
function begin(work: Promise<unknown>) {
  const state = { returned: false, work };
  const note = () => {
    state.returned = true;
  };
  work.then(note, note);
  return state;
}

const OFF = { enabled: false };

describe('every change', () => {
  it.each(changes)(
    '%s returns when all ingresses have confirmed, also one at another replica',
    async (_, make, what) => {
      const near = await watch(auth);
      const far = await watch(replica);
      const seen = near.lastSequence;
      const change = begin(make(await target()));
      for (const watcher of [near, far]) {
        await vi.waitFor(() => expect(watcher.lastSequence).toBeGreaterThan(seen), WAIT);
        expect(watcher.revocations.filter(({ sequence }) => sequence > seen).map(({ what }) => what)).toEqual([what]);
      }
      const confirmed = near.ping(near.lastSequence);
      await vi.waitFor(() => expect(near.isConfirmed(confirmed)).toBe(true), WAIT);
      expect(change.returned).toBe(false);
      far.ping(far.lastSequence);
      await change.work;
    },
  );

  it('a lifted suspension waits as well', async () => {
    const { accountId } = await target();
    await auth.suspend(accountId, 'unpaid');
    const watcher = await watch(auth);
    const seen = watcher.lastSequence;
    const change = begin(auth.resume(accountId));
    await vi.waitFor(() => expect(watcher.lastSequence).toBeGreaterThan(seen), WAIT);
    expect(change.returned).toBe(false);
    watcher.ping(watcher.lastSequence);
    await change.work;
  });

  it('that is not confirmed in time says so, stands, and waits again when it is repeated', async () => {
    const { accountId } = await target();
    const watcher = await watch(auth);
    const seen = watcher.lastSequence;
    await expect(auth.suspend(accountId, 'unpaid', 300)).rejects.toMatchObject({ code: 4 });
    const again = begin(auth.suspend(accountId, 'unpaid'));
    await vi.waitFor(() => expect(watcher.lastSequence).toBeGreaterThan(seen), WAIT);
    expect(again.returned).toBe(false);
    watcher.ping(watcher.lastSequence);
    expect(await again.work).toMatchObject({ status: AccountStatus.SUSPENDED, suspensionReason: 'unpaid' });
    // It was one suspension: nothing was sent a second time.
    expect(watcher.revocations.filter(({ sequence }) => sequence > seen)).toHaveLength(1);
  });

  it('of a project that is not confirmed in time stands, and waits again when it is repeated', async () => {
    const { accountId, projectId } = await target();
    const watcher = await watch(auth);
    const seen = watcher.lastSequence;
    await expect(new Nodes(auth, accountId, 300).deleteProject(projectId)).rejects.toMatchObject({ code: 4 });
    const again = begin(new Nodes(auth, accountId).deleteProject(projectId));
    await vi.waitFor(() => expect(watcher.lastSequence).toBeGreaterThan(seen), WAIT);
    expect(again.returned).toBe(false);
    watcher.ping(watcher.lastSequence);
    expect(await again.work).toMatchObject({ state: { status: NodeStatus.DELETED } });
    expect(watcher.revocations.filter(({ sequence }) => sequence > seen)).toHaveLength(1);
  });

  it('gives revisions that grow and follow the clock, at several replicas at once', async () => {
    const { keyId } = await target();
    const before = BigInt(Date.now() - 60_000) * 1_000n;
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? auth : replica).updateKey(keyId, { name: `${index}` }),
      ),
    );
    const { rows } = await pool.query<{ revision: bigint }>(
      'SELECT revision FROM auth.revocations WHERE changed_key_id = $1 ORDER BY sequence',
      [keyId],
    );
    const revisions = rows.map((row) => row.revision);
    expect(revisions).toHaveLength(10);
    expect(revisions.every((revision, index) => revision > (revisions[index - 1] ?? before))).toBe(true);
  });
});
