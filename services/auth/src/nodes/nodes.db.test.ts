import { newId } from '@tollgate/common/ids';
import {
  type AppliedCaps,
  CapSetter,
  NodeStatus,
  type Project,
  Role,
  type SpendingCaps,
  type UpdateProjectRequest,
} from '@tollgate/proto/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { People, type SomePerson } from '../../testing/people.ts';
import { MAX_NODES, MAX_PROJECTS } from './add-node.ts';

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

const CAPS = { dayNanos: 1n, weekNanos: 2n, monthNanos: 3n, totalNanos: 4n };
const LIMITS = { requestsPerMinute: 60n, tokensPerMinute: 1_000_000_000n, openRequests: 1_000_000 };
const inAnHour = () => BigInt(Date.now() + 3_600_000);

type Settings = NonNullable<Parameters<typeof UpdateProjectRequest.fromPartial>[0]['settings']>;

/** One of each kind, and what of it is returned after a change, and listed. */
const KINDS: [
  string,
  () => Promise<{ update: (settings: Settings) => Promise<Shown>; listed: () => Promise<Shown> }>,
][] = [
  [
    'a project',
    async () => {
      const { projectId } = await nodes.createProject('Research');
      return {
        update: (settings) => nodes.updateProject(projectId, settings),
        listed: async () => required((await nodes.projects()).data.find((each) => each.projectId === projectId)),
      };
    },
  ],
  [
    'a service account',
    async () => {
      const made = await nodes.createServiceAccount(accountId, 'ci');
      return {
        update: (settings) => nodes.updateServiceAccount(made, settings),
        listed: async () => required((await nodes.serviceAccounts(accountId))[0]),
      };
    },
  ],
  [
    'a member',
    async () => {
      const { projectId } = await nodes.createProject('Research');
      const { personId } = await people.member(accountId, Role.DEVELOPER);
      await nodes.updateMember(projectId, personId, { caps: {} });
      return {
        update: (settings) => nodes.updateMember(projectId, personId, settings),
        listed: async () => required((await nodes.members(projectId))[0]),
      };
    },
  ],
];

/** The caps in force where no defaults are above. */
function ownCaps({ dayNanos, weekNanos, monthNanos, totalNanos }: SpendingCaps): AppliedCaps {
  const own = (limitNanos?: bigint) => (limitNanos === undefined ? undefined : { limitNanos, setBy: CapSetter.OWN });
  return {
    ...{ day: own(dayNanos), week: own(weekNanos), month: own(monthNanos), total: own(totalNanos) },
    session: undefined,
  };
}

type Shown = Pick<Project, 'state'>;

describe.each(KINDS)('%s', (_, make) => {
  it('has attributes that change one by one, and what is not named stays', async () => {
    const { update, listed } = await make();
    const expiresAtMs = inAnHour();
    const steps: [Settings, object][] = [
      [{ caps: CAPS }, { caps: CAPS, appliedCaps: ownCaps(CAPS) }],
      [{ limits: LIMITS }, { limits: LIMITS }],
      [{ allowedModels: { ids: ['m1', 'm2'] } }, { allowedModels: ['m1', 'm2'] }],
      [{ expiresAtMs }, { expiresAtMs }],
      [{ enabled: false }, { enabled: false, status: NodeStatus.OFF }],
      [{ enabled: true }, { enabled: true, status: NodeStatus.ACTIVE }],
      [{ caps: { weekNanos: 5n } }, { caps: { ...NO_CAPS, weekNanos: 5n }, appliedCaps: ownCaps({ weekNanos: 5n }) }],
      [
        { caps: {}, limits: {}, allowedModels: {}, expiresAtMs: 0n },
        { caps: undefined, appliedCaps: ownCaps({}), limits: undefined, allowedModels: [], expiresAtMs: 0n },
      ],
    ];
    let expected = required((await listed()).state);
    expect(expected).toMatchObject({ status: NodeStatus.ACTIVE, enabled: true, caps: undefined, allowedModels: [] });
    for (const [named, changed] of steps) {
      expected = { ...expected, ...changed };
      expect((await update(named)).state).toEqual(expected);
      expect((await listed()).state).toEqual(expected);
    }
  });

  it.each<[string, Settings]>([
    ['no field to change', {}],
    ['expires_at_ms', { expiresAtMs: 1n }],
    ['allowed_models[1]', { allowedModels: { ids: ['m', ''] } }],
    ['allowed_models', { allowedModels: { ids: Array.from({ length: 201 }, (_, index) => `m${index}`) } }],
    ['caps.week_nanos', { caps: { weekNanos: -1n } }],
    ['limits.requests_per_minute', { limits: { requestsPerMinute: 0n } }],
    ['limits.open_requests', { limits: { openRequests: 1_000_001 } }],
  ])('refuses a change with a message that names %s', async (name, settings) => {
    const { update, listed } = await make();
    const before = await listed();
    await expect(update(settings)).rejects.toMatchObject({ code: 3, details: expect.stringContaining(name) });
    expect(await listed()).toEqual(before);
  });
});

const NO_CAPS = { dayNanos: undefined, weekNanos: undefined, monthNanos: undefined, totalNanos: undefined };

describe('projects', () => {
  it('are created with all attributes, and listed in pages in order of creation, after default', async () => {
    const settings = { caps: CAPS, limits: LIMITS, allowedModels: { ids: ['m'] }, expiresAtMs: inAnHour() };
    const first = await nodes.createProject('first', settings);
    expect(first).toMatchObject({
      name: 'first',
      isDefault: false,
      state: { ...settings, allowedModels: ['m'], status: NodeStatus.ACTIVE },
    });
    const second = await nodes.createProject('second');
    const page = await nodes.projects(2);
    expect(page.data.map(({ name }) => name)).toEqual(['default', 'first']);
    expect(page.data[0]).toMatchObject({ projectId: accountId, isDefault: true });
    expect(page.data[1]).toEqual(first);
    expect(await nodes.projects(2, page.nextCursor)).toEqual({ data: [second], nextCursor: '' });
  });

  it('have names of their own, also when several are created or renamed at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => nodes.createProject('Research')));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(refused).toEqual([6, 6, 6, 6, 6]);
    const others = await Promise.all(['a', 'b', 'c'].map((name) => nodes.createProject(name)));
    const renamed = await Promise.allSettled(others.map(({ projectId }) => nodes.updateProject(projectId, {}, 'd')));
    expect(renamed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const taken = { code: 6, details: expect.stringContaining('name: ') };
    await expect(nodes.createProject('default')).rejects.toMatchObject(taken);
    const [one] = others;
    await expect(nodes.updateProject(required(one).projectId, {}, 'Research')).rejects.toMatchObject(taken);
  });

  it('give their name free when they are deleted, and stay deleted', async () => {
    const { projectId } = await nodes.createProject('Research');
    await nodes.createServiceAccount(projectId, 'ci');
    expect(await nodes.deleteProject(projectId)).toMatchObject({ state: { status: NodeStatus.DELETED } });
    const again = await nodes.deleteProject(projectId);
    expect(again.state?.deletedAtMs).toBeGreaterThan(0n);
    expect((await nodes.createProject('Research')).projectId).not.toBe(projectId);
    expect(await nodes.serviceAccounts(projectId)).toEqual([]);
    const gone = { code: 9, details: 'the project is deleted' };
    await expect(nodes.updateProject(projectId, { enabled: true })).rejects.toMatchObject(gone);
    await expect(nodes.createServiceAccount(projectId, 'cd')).rejects.toMatchObject(gone);
    await expect(fixture.auth.createKey(accountId, { projectId })).rejects.toMatchObject(gone);
  });

  it('of other accounts are unknown', async () => {
    const other = new Nodes(fixture.auth, (await fixture.auth.createAccount()).accountId);
    const { projectId } = await other.createProject('Research');
    const made = await other.createServiceAccount(projectId, 'ci');
    const unknown = { code: 5 };
    await expect(nodes.updateProject(projectId, { enabled: false })).rejects.toMatchObject(unknown);
    await expect(nodes.deleteProject(projectId)).rejects.toMatchObject(unknown);
    await expect(nodes.createServiceAccount(projectId, 'cd')).rejects.toMatchObject(unknown);
    await expect(nodes.updateServiceAccount(made, { enabled: false })).rejects.toMatchObject(unknown);
    await expect(nodes.deleteServiceAccount(made)).rejects.toMatchObject(unknown);
    await expect(nodes.updateServiceAccount({ ...made, projectId: accountId }, {}, 'x')).rejects.toMatchObject(unknown);
    await expect(fixture.auth.createKey(accountId, { projectId })).rejects.toMatchObject(unknown);
    expect(await nodes.serviceAccounts(projectId)).toEqual([]);
  });

  it('are at most so many of an account, as are all nodes', async () => {
    const fill = (kind: string, parentId: string | null, count: number) =>
      fixture.pool.query(
        `INSERT INTO auth.nodes (account_id, node_id, parent_id, kind, name)
         SELECT $1, gen_random_uuid(), $2, $3, 'n' || n FROM generate_series(1, $4::int) n`,
        [accountId, parentId, kind, count],
      );
    await fill('project', null, MAX_PROJECTS - 2);
    const last = await nodes.createProject('the last one');
    const full = { code: 8, details: expect.stringContaining(`${MAX_PROJECTS} projects`) };
    await expect(nodes.createProject('one more')).rejects.toMatchObject(full);
    await nodes.deleteProject(last.projectId);
    await fill('service_account', accountId, MAX_NODES - MAX_PROJECTS);
    await nodes.createProject('again');
    await expect(nodes.createServiceAccount(accountId, 'ci')).rejects.toMatchObject({ code: 8 });
  });
});

describe('the project default', () => {
  it('can be limited, but neither renamed, switched off, ended nor deleted', async () => {
    const limited = await nodes.updateProject(accountId, { caps: CAPS, limits: LIMITS, enabled: true }, 'default');
    expect(limited).toMatchObject({ name: 'default', isDefault: true, state: { caps: CAPS, limits: LIMITS } });
    const refused = (text: string) => ({ code: 9, details: expect.stringContaining(text) });
    await expect(nodes.updateProject(accountId, {}, 'main')).rejects.toMatchObject(refused('name: '));
    await expect(nodes.updateProject(accountId, { enabled: false })).rejects.toMatchObject(refused('enabled: '));
    const ends = { expiresAtMs: inAnHour() };
    await expect(nodes.updateProject(accountId, ends)).rejects.toMatchObject(refused('expires_at_ms: '));
    await expect(nodes.deleteProject(accountId)).rejects.toMatchObject(refused('cannot be deleted'));
    expect((await nodes.projects()).data).toEqual([limited]);
  });

  it('is there for an account that the previous release has made, and its keys resolve', async () => {
    await fixture.pool.query('DELETE FROM auth.nodes WHERE account_id = $1', [accountId]);
    expect((await nodes.projects()).data).toMatchObject([{ projectId: accountId, name: 'default' }]);
    await fixture.pool.query('DELETE FROM auth.nodes WHERE account_id = $1', [accountId]);
    await nodes.createServiceAccount(accountId, 'ci');
    expect((await nodes.projects()).data).toHaveLength(1);
  });
});

describe('the audit log', () => {
  it('names who changed what of projects, service accounts and members', async () => {
    const admin = await people.member(accountId, Role.ADMIN);
    const { personId, person } = await people.member(accountId, Role.DEVELOPER);
    const projectId = await projectBy(admin, 'Research');
    const made = await nodes.createServiceAccount(projectId, 'ci');
    await nodes.updateServiceAccount(made, { caps: { weekNanos: 5_000_000_000n }, enabled: false });
    await nodes.updateMember(projectId, personId, { allowedModels: { ids: ['small'] } });
    await nodes.deleteServiceAccount(made);
    await nodes.deleteServiceAccount(made);
    await nodes.updateProject(projectId, {}, 'Search');
    await nodes.deleteProject(projectId);
    const { rows } = await fixture.pool.query(
      `SELECT action, target_id, target_name, details, actor_id FROM auth.audit
       WHERE account_id = $1 AND (action LIKE 'project%' OR action LIKE 'service_account%') ORDER BY entry_id`,
      [accountId],
    );
    const inProject = { project: 'Research' };
    expect(rows).toEqual([
      entry('project.create', projectId, 'Research', { name: 'Research', enabled: 'on' }, admin.personId),
      entry('service_account.create', made.serviceAccountId, 'ci', { ...inProject, name: 'ci', enabled: 'on' }),
      entry('service_account.update', made.serviceAccountId, 'ci', {
        ...{ ...inProject, week_cap: 'none → $5', enabled: 'on → off' },
      }),
      entry('project_member.update', personId, person.email, { ...inProject, allowed_models: 'all → small' }),
      entry('service_account.delete', made.serviceAccountId, 'ci', inProject),
      entry('project.update', projectId, 'Search', { name: 'Research → Search' }),
      entry('project.delete', projectId, 'Search', {}),
    ]);
  });
});

function entry(
  action: string,
  target_id: string,
  target_name: string,
  details: object,
  actor_id: string | null = null,
) {
  return { action, target_id, target_name, details, actor_id };
}

const nothing = {
  eachKey: undefined,
  eachMember: undefined,
  eachServiceAccount: undefined,
  eachSessionNanos: undefined,
  exceedsDefaults: undefined,
  enabled: undefined,
  expiresAtMs: undefined,
  allowedModels: undefined,
  caps: undefined,
  limits: undefined,
};

async function projectBy(person: SomePerson, name: string): Promise<string> {
  const request = { accountId, name, settings: nothing };
  return required((await person.call((client) => client.createProject.bind(client), request)).project).projectId;
}

describe('who may change projects', () => {
  it('is an owner or admin; a developer sees them', async () => {
    const developer = await people.member(accountId, Role.DEVELOPER);
    const projectId = await projectBy(await people.member(accountId, Role.OWNER), 'Research');
    await expect(projectBy(developer, newId())).rejects.toMatchObject({ code: 7 });
    const page = { accountId, limit: 100, cursor: '' };
    const { data } = await developer.call((client) => client.listProjects.bind(client), page);
    expect(data.map((project) => project.projectId)).toEqual([accountId, projectId]);
    const members = developer.call((client) => client.listProjectMembers.bind(client), { ...page, projectId });
    await expect(members).rejects.toMatchObject({ code: 7 });
  });

  it('can limit members of the account, and nobody else', async () => {
    const stranger = await people.member((await fixture.auth.createAccount()).accountId, Role.DEVELOPER);
    const refused = { code: 5, details: 'no such member' };
    await expect(nodes.updateMember(accountId, stranger.personId, { enabled: false })).rejects.toMatchObject(refused);
    expect(await nodes.members(accountId)).toEqual([]);
  });
});
