import { sha256Hex } from '@tollgate/common/keys/index';
import { type Account, CreateKeyRequest, KeyRefusal, Role } from '@tollgate/proto/auth';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { Nodes } from '../../testing/nodes.ts';
import { People, type SomePerson } from '../../testing/people.ts';

let fixture: AuthFixture;
let people: People;

beforeAll(async () => {
  fixture = await startAuth();
  people = new People(fixture.auth);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

const END = ['on', 'off', 'ended', 'deleted'] as const;
type End = (typeof END)[number];

/** What becomes of a project and of who owns keys in it. */
interface ProjectPlan {
  own: End;
  serviceAccounts: End[];
  members: ('on' | 'off' | 'ended')[];
}

const plan = fc.record({
  own: fc.constantFrom(...END),
  serviceAccounts: fc.array(fc.constantFrom(...END), { maxLength: 2 }),
  members: fc.array(fc.constantFrom('on' as const, 'off' as const, 'ended' as const), { maxLength: 2 }),
});
const changes = fc.array(plan, { minLength: 1, maxLength: 3 });

/** A key, and whether everything above it is alive. */
interface Expected {
  sha256: Buffer;
  isAlive: boolean;
}

async function createKey(accountId: string, place: { projectId?: string; serviceAccountId?: string }): Promise<Buffer> {
  const { secret } = await fixture.auth.createKey(accountId, place);
  return Buffer.from(sha256Hex(secret), 'hex');
}

async function createKeyBy({ call }: SomePerson, accountId: string, projectId: string): Promise<Buffer> {
  const request = CreateKeyRequest.fromPartial({ accountId, name: 'a key', projectId });
  const { secret } = await call((client) => client.createKey.bind(client), request);
  return Buffer.from(sha256Hex(secret), 'hex');
}

/** Lets a node have ended already, which no call does. */
async function letEnd(accountId: string, projectId: string, by: 'node_id' | 'person_id', id: string): Promise<void> {
  await fixture.pool.query(
    `UPDATE auth.nodes SET expires_at = now() - interval '1 ms'
     WHERE account_id = $1 AND $2 IN (node_id, parent_id) AND ${by} = $3`,
    [accountId, projectId, id],
  );
}

async function build(
  account: Account,
  persons: readonly SomePerson[],
  plans: readonly ProjectPlan[],
): Promise<Expected[]> {
  const { accountId } = account;
  const nodes = new Nodes(fixture.auth, accountId);
  const expected: Expected[] = [{ sha256: await createKey(accountId, {}), isAlive: true }];
  for (const [index, { own, serviceAccounts, members }] of plans.entries()) {
    const { projectId } = await nodes.createProject(`project ${index}`);
    const isOn = own === 'on';
    expected.push({ sha256: await createKey(accountId, { projectId }), isAlive: isOn });
    for (const [at, end] of serviceAccounts.entries()) {
      const made = await nodes.createServiceAccount(projectId, `service account ${at}`);
      const { serviceAccountId } = made;
      expected.push({ sha256: await createKey(accountId, { serviceAccountId }), isAlive: isOn && end === 'on' });
      if (end === 'off') await nodes.updateServiceAccount(made, { enabled: false });
      if (end === 'ended') await letEnd(accountId, projectId, 'node_id', serviceAccountId);
      if (end === 'deleted') await nodes.deleteServiceAccount(made);
    }
    for (const [at, end] of members.entries()) {
      const person = persons[at];
      if (person === undefined) throw new Error('there are not enough people');
      const { personId } = person;
      expected.push({ sha256: await createKeyBy(person, accountId, projectId), isAlive: isOn && end === 'on' });
      if (end === 'off') await nodes.updateMember(projectId, personId, { enabled: false });
      if (end === 'ended') await letEnd(accountId, projectId, 'person_id', personId);
    }
    if (own === 'off') await nodes.updateProject(projectId, { enabled: false });
    if (own === 'ended') await letEnd(accountId, projectId, 'node_id', projectId);
    if (own === 'deleted') await nodes.deleteProject(projectId);
  }
  return expected;
}

it('the keys that resolve are those above which everything is alive', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (plans) => {
      const account = await fixture.auth.createAccount();
      const persons = [
        await people.member(account.accountId, Role.DEVELOPER),
        await people.member(account.accountId, Role.ADMIN),
      ];
      const keys = await build(account, persons, plans);
      const found = await Promise.all(keys.map(({ sha256 }) => fixture.auth.resolve(sha256, account.tag)));
      const off = { $case: 'refused', value: KeyRefusal.OFF };
      expect(found.map((result) => (result?.$case === 'active' ? 'active' : result))).toEqual(
        keys.map(({ isAlive }) => (isAlive ? 'active' : off)),
      );
      // What is cached is of keys that are alive, too.
      const cached = await Promise.all(
        keys.map(({ sha256 }) => fixture.cache.read(account.tag, sha256.toString('hex'))),
      );
      expect(cached.map((entry) => entry !== undefined)).toEqual(keys.map(({ isAlive }) => isAlive));
    }),
    { numRuns: 15 },
  );
});
