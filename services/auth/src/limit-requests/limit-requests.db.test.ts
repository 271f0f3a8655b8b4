import { periodEnd, periodStart } from '@tollgate/common/cap-periods';
import { SESSION_REVISION, sessionNodeId, sha256Hex } from '@tollgate/common/keys/index';
import {
  AskForLimitRequest,
  CreateKeyRequest,
  GrantDuration,
  type KeyRecord,
  type LimitRequest,
  LimitRequestStatus,
  NodeScope,
  Role,
} from '@tollgate/proto/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthFixture, startAuth } from '../../testing/auth-fixture.ts';
import { required } from '../../testing/auth-under-test.ts';
import { Nodes } from '../../testing/nodes.ts';
import { People, type SomePerson } from '../../testing/people.ts';

const { WINDOW, ALWAYS } = GrantDuration;

let fixture: AuthFixture;
let people: People;
let account: { accountId: string; tag: string };
let nodes: Nodes;
let projectId: string;
let admin: SomePerson;
let developer: SomePerson;

beforeAll(async () => {
  fixture = await startAuth();
  people = new People(fixture.auth);
});
beforeEach(async () => {
  account = await fixture.auth.createAccount();
  nodes = new Nodes(fixture.auth, account.accountId);
  ({ projectId } = await nodes.createProject('Research', { caps: { dayNanos: 10n, monthNanos: 100n } }));
  admin = await people.member(account.accountId, Role.ADMIN);
  developer = await people.member(account.accountId, Role.DEVELOPER);
});
afterAll(async () => {
  people?.close();
  await fixture?.stop();
});

type Asked = Parameters<typeof AskForLimitRequest.fromPartial>[0];

async function createKey(who: SomePerson, caps: object = {}) {
  const request = CreateKeyRequest.fromPartial({ accountId: account.accountId, projectId, name: 'ci', caps });
  const { key, secret } = await who.call((client) => client.createKey.bind(client), request);
  return { keyId: required(key).keyId, secret };
}

async function ask(who: SomePerson, asked: Asked): Promise<LimitRequest> {
  const request = AskForLimitRequest.fromPartial({
    ...{ accountId: account.accountId, scope: 'project', id: projectId, window: 'day', reason: 'a large run' },
    ...asked,
  });
  return required((await who.call((client) => client.askForLimit.bind(client), request)).limitRequest);
}

async function grant(
  { limitRequestId }: LimitRequest,
  amountNanos: bigint,
  duration: GrantDuration,
  who: SomePerson = admin,
): Promise<LimitRequest> {
  const request = { accountId: account.accountId, limitRequestId, amountNanos, duration, note: ' enough ' };
  return required((await who.call((client) => client.grantLimitRequest.bind(client), request)).limitRequest);
}

async function end(who: SomePerson, { limitRequestId }: LimitRequest, how: 'decline' | 'withdraw') {
  const request = { accountId: account.accountId, limitRequestId, note: 'not now' };
  return how === 'decline'
    ? who.call((client) => client.declineLimitRequest.bind(client), request)
    : who.call((client) => client.withdrawLimitRequest.bind(client), request);
}

async function list(who: SomePerson, status = 'all', limit = 100, cursor = '') {
  const request = { accountId: account.accountId, status, limit, cursor };
  return who.call((client) => client.listLimitRequests.bind(client), request);
}

async function recordOf(secret: string): Promise<KeyRecord> {
  const result = await fixture.auth.resolve(Buffer.from(sha256Hex(secret), 'hex'), account.tag);
  if (result?.$case !== 'active') throw new Error('the key is not active');
  return result.value;
}

function projectOf(record: KeyRecord) {
  return required(record.nodes.find(({ scope }) => scope === NodeScope.PROJECT));
}

describe('asking for a limit', () => {
  it('is open to a developer on the path of their keys, who sees only what they asked', async () => {
    const { keyId } = await createKey(developer, { dayNanos: 3n });
    const asked = await ask(developer, { keyId, amountNanos: 20n });
    expect(asked).toMatchObject({
      status: LimitRequestStatus.OPEN,
      ...{ keyId, keyName: 'ci', scope: 'project', id: projectId, name: 'Research', window: 'day', projectId },
      ...{ reason: 'a large run', amountNanos: 20n, limitNanos: 10n, answeredBy: undefined, grantedNanos: undefined },
      askedBy: { personId: developer.personId, name: developer.person.email },
    });
    const other = await people.member(account.accountId, Role.DEVELOPER);
    const own = await ask(other, { keyId: (await createKey(other)).keyId });
    const idsOf = async (who: SomePerson, status?: string) =>
      (await list(who, status)).data.map(({ limitRequestId }) => limitRequestId);
    expect(await idsOf(developer)).toEqual([asked.limitRequestId]);
    expect(await idsOf(admin)).toEqual([own.limitRequestId, asked.limitRequestId]);
    await end(admin, own, 'decline');
    expect(await idsOf(admin, 'open')).toEqual([asked.limitRequestId]);
    const request = { accountId: account.accountId, limitRequestId: asked.limitRequestId };
    const get = (who: SomePerson) => who.call((client) => client.getLimitRequest.bind(client), request);
    expect((await get(developer)).limitRequest).toEqual(asked);
    await expect(get(other)).rejects.toMatchObject({ code: 5 });
    // By pages.
    const first = await list(admin, 'all', 1);
    expect(first.data.map(({ limitRequestId }) => limitRequestId)).toEqual([own.limitRequestId]);
    expect((await list(admin, 'all', 1, first.nextCursor)).data).toEqual([asked]);
  });

  it.each<[string, (keyId: string) => Asked, string, number]>([
    ['a node of another path', () => ({ id: account.accountId }), 'id', 3],
    ['a session in another window', () => ({ scope: 'session', id: 'run' }), 'window', 3],
    ['a limit that is not there', () => ({ window: 'total' }), 'no such limit', 9],
    ['a limit that a key does not have', (keyId) => ({ scope: 'key', id: keyId }), 'no such limit', 9],
    ['no reason', () => ({ reason: ' ' }), 'reason', 3],
    ['a long reason', () => ({ reason: 'x'.repeat(501) }), 'reason', 3],
    ['an unknown window', () => ({ window: 'year' }), 'window', 3],
  ])('is refused of %s', async (_, asked, details, code) => {
    const { keyId } = await createKey(developer);
    await expect(ask(developer, { keyId, ...asked(keyId) })).rejects.toMatchObject({
      code,
      details: expect.stringContaining(details),
    });
  });

  it('is refused of keys of others, twice at a time, and of a deleted key', async () => {
    const { keyId: ofAdmin } = await createKey(admin);
    await expect(ask(developer, { keyId: ofAdmin })).rejects.toMatchObject({ code: 5 });
    const { keyId } = await createKey(developer);
    const asked = await ask(developer, { keyId });
    await expect(ask(developer, { keyId })).rejects.toMatchObject({ code: 6 });
    await ask(admin, { keyId });
    await end(developer, asked, 'withdraw');
    await ask(developer, { keyId });
    await fixture.auth.deleteKey(keyId);
    await expect(ask(developer, { keyId, window: 'month' })).rejects.toMatchObject({ code: 9 });
  });

  it('is bounded in an account, and keeps the newest answered ones', async () => {
    const { keyId } = await createKey(developer);
    await fixture.pool.query(
      `INSERT INTO auth.limit_requests (account_id, limit_request_id, key_id, scope, node_id, node_name, period, reason,
         asked_by_id, asked_by_name, status, answered_at)
       SELECT $1, auth.uuid_of_time(now() - i * interval '1 s'), $2, 'project', gen_random_uuid(), '', 'day', 'r', $3, '',
         'declined', now()
       FROM generate_series(1, 1100) i`,
      [account.accountId, keyId, developer.personId],
    );
    const asked = await ask(developer, { keyId });
    const count = async () =>
      (await fixture.pool.query('SELECT FROM auth.limit_requests WHERE account_id = $1', [account.accountId])).rowCount;
    expect(await count()).toBe(1_001);
    await fixture.pool.query(
      `UPDATE auth.limit_requests SET status = 'open', answered_at = NULL
       WHERE account_id = $1 AND limit_request_id <> $2 AND limit_request_id IN (
         SELECT limit_request_id FROM auth.limit_requests WHERE account_id = $1 ORDER BY 1 LIMIT 199)`,
      [account.accountId, asked.limitRequestId],
    );
    await expect(ask(developer, { keyId, window: 'month' })).rejects.toMatchObject({ code: 8 });
  });
});

describe('a grant', () => {
  it('for its window is in the record of the key, with the window, and the cap stays', async () => {
    const { keyId, secret } = await createKey(developer);
    const before = projectOf(await recordOf(secret));
    const granted = await grant(await ask(developer, { keyId, amountNanos: 30n }), 20n, WINDOW);
    const startMs = periodStart('day', Date.now());
    expect(granted).toMatchObject({
      ...{ status: LimitRequestStatus.GRANTED, grantedNanos: 20n, grantedFor: WINDOW, note: 'enough' },
      answeredBy: { personId: admin.personId },
      grantedUntilMs: BigInt(required(periodEnd('day', startMs))),
    });
    const after = projectOf(await recordOf(secret));
    expect(after.caps).toEqual(before.caps);
    expect(after.grants).toEqual([
      { period: 'day', periodStartMs: BigInt(startMs), sessionNodeId: '', limitNanos: 20n, revision: 0n },
    ]);
    expect(after.revision).toBeGreaterThan(before.revision);
    // Another one in the same window replaces it; one for another window is beside it.
    await grant(await ask(developer, { keyId }), 25n, WINDOW);
    await grant(await ask(developer, { keyId, window: 'month' }), 200n, WINDOW);
    expect(projectOf(await recordOf(secret)).grants).toMatchObject([
      { period: 'day', limitNanos: 25n },
      { period: 'month', limitNanos: 200n },
    ]);
    // Who edits a cap has the last word about it.
    await nodes.updateProject(projectId, { caps: { dayNanos: 5n, monthNanos: 100n } });
    expect(projectOf(await recordOf(secret)).grants).toMatchObject([{ period: 'month' }]);
    await nodes.updateProject(projectId, { allowedModels: { ids: ['m'] } });
    expect(projectOf(await recordOf(secret)).grants).toHaveLength(1);
  });

  it('of an earlier window is in no record', async () => {
    const { keyId, secret } = await createKey(developer);
    await grant(await ask(developer, { keyId }), 20n, WINDOW);
    await fixture.pool.query(
      `UPDATE auth.nodes SET grants = jsonb_set(grants, '{0,until_ms}', to_jsonb($2::bigint)) WHERE node_id = $1`,
      [projectId, Date.now() - 1],
    );
    expect(projectOf(await recordOf(secret)).grants).toEqual([]);
    await expect(grant(await ask(developer, { keyId }), 10n, WINDOW)).rejects.toMatchObject({ code: 3 });
  });

  it('for good is the cap', async () => {
    const { keyId, secret } = await createKey(developer);
    const granted = await grant(await ask(developer, { keyId, window: 'month' }), 150n, ALWAYS);
    expect(granted).toMatchObject({ grantedNanos: 150n, grantedFor: ALWAYS, grantedUntilMs: 0n });
    expect(projectOf(await recordOf(secret))).toMatchObject({
      caps: { dayNanos: 10n, monthNanos: 150n },
      grants: [],
    });
  });

  it('for good of what a default limits exceeds it, and the other caps stay as they were', async () => {
    const { keyId, secret } = await createKey(developer, { dayNanos: 6n, weekNanos: 60n, monthNanos: 7n });
    await nodes.updateProject(projectId, { eachKey: { dayNanos: 5n, weekNanos: 50n, totalNanos: 40n } });
    const limits = { weekNanos: 50n, monthNanos: 7n, totalNanos: 40n };
    expect((await recordOf(secret)).caps).toEqual({ dayNanos: 5n, ...limits });
    const asked = await ask(developer, { keyId, scope: 'key', id: keyId });
    expect(asked).toMatchObject({ limitNanos: 5n, projectId: '' });
    await expect(grant(asked, 5n, ALWAYS)).rejects.toMatchObject({
      code: 3,
      details: expect.stringContaining('amount'),
    });
    await grant(asked, 8n, ALWAYS);
    expect((await recordOf(secret)).caps).toEqual({ dayNanos: 8n, ...limits });
  });

  it('of a service account and of a member is theirs', async () => {
    const { serviceAccountId } = await nodes.createServiceAccount(projectId, 'bot', { caps: { dayNanos: 4n } });
    const { key, secret } = await fixture.auth.createKey(account.accountId, { serviceAccountId });
    await grant(await ask(admin, { keyId: key.keyId, scope: 'service_account', id: serviceAccountId }), 6n, WINDOW);
    expect((await recordOf(secret)).nodes.at(-1)).toMatchObject({
      caps: { dayNanos: 4n },
      grants: [{ limitNanos: 6n }],
    });
    const own = await createKey(developer);
    const { nodeId } = await nodes.updateMember(projectId, developer.personId, { caps: { dayNanos: 4n } });
    const asked = await ask(developer, { keyId: own.keyId, scope: 'member', id: nodeId });
    await grant(asked, 7n, ALWAYS);
    expect((await recordOf(own.secret)).nodes.at(-1)).toMatchObject({ caps: { dayNanos: 7n } });
  });

  it('of a session is in the record of its key, above all that clients set; the latest counts, and 20 are kept', async () => {
    const { keyId, secret } = await createKey(developer);
    const ofSession = (id: string) => ask(developer, { keyId, scope: 'session', id, window: 'session' });
    const asked = await ofSession('run 1');
    expect(asked).toMatchObject({ scope: 'session', id: 'run 1', name: 'run 1', limitNanos: undefined });
    await expect(grant(asked, 5n, ALWAYS)).rejects.toMatchObject({ code: 3 });
    await grant(asked, 5n, WINDOW);
    const [first] = (await recordOf(secret)).grants;
    expect(first).toMatchObject({ period: 'session', sessionNodeId: sessionNodeId(keyId, 'run 1'), limitNanos: 5n });
    expect(first?.revision).toBeGreaterThan(SESSION_REVISION);
    await grant(await ofSession('run 1'), 3n, WINDOW);
    const { grants } = await recordOf(secret);
    expect(grants).toMatchObject([{ limitNanos: 3n }]);
    expect(grants[0]?.revision).toBeGreaterThan(first?.revision ?? 0n);
    for (let run = 2; run <= 21; run++) await grant(await ofSession(`run ${run}`), 3n, WINDOW);
    const kept = (await recordOf(secret)).grants.map(({ sessionNodeId: id }) => id);
    expect(kept).toEqual(Array.from({ length: 20 }, (_, index) => sessionNodeId(keyId, `run ${index + 2}`)));
  });

  it('of a total cap is for good, and of a derived key within the keys above it', async () => {
    await nodes.updateProject(projectId, { caps: { totalNanos: 5n } });
    const parent = await createKey(developer, { dayNanos: 9n });
    const total = await ask(developer, { keyId: parent.keyId, window: 'total' });
    await expect(grant(total, 9n, WINDOW)).rejects.toMatchObject({ code: 3 });
    await grant(total, 9n, ALWAYS);
    const { keyId: parentId } = parent;
    const { accountId } = account;
    const { key } = await fixture.auth.deriveKey({ accountId, keyId: parentId }, { caps: { dayNanos: 2n } });
    const { keyId } = key;
    const above = await ask(developer, { keyId, scope: 'key', id: parent.keyId });
    const own = await ask(developer, { keyId, scope: 'key', id: keyId });
    await expect(grant(own, 10n, ALWAYS)).rejects.toMatchObject({ code: 3 });
    await grant(own, 9n, ALWAYS);
    expect((await grant(above, 12n, WINDOW)).id).toBe(parent.keyId);
  });

  it('is made once, by who may raise limits, and of what is there', async () => {
    const { keyId, secret } = await createKey(developer);
    const asked = await ask(developer, { keyId });
    await expect(grant(asked, 20n, WINDOW, developer)).rejects.toMatchObject({ code: 7 });
    await expect(end(developer, asked, 'decline')).rejects.toMatchObject({ code: 7 });
    const stranger = await people.member((await fixture.auth.createAccount()).accountId, Role.OWNER);
    await expect(grant(asked, 20n, WINDOW, stranger)).rejects.toMatchObject({ code: 7 });
    await expect(end(admin, asked, 'withdraw')).rejects.toMatchObject({ code: 5 });
    await Promise.allSettled([grant(asked, 20n, WINDOW), grant(asked, 30n, WINDOW), end(admin, asked, 'decline')]);
    const answered = required((await list(admin)).data[0]);
    const granted = projectOf(await recordOf(secret)).grants.map(({ limitNanos }) => limitNanos);
    expect(granted).toEqual(answered.grantedNanos === undefined ? [] : [answered.grantedNanos]);
    const open = await ask(developer, { keyId });
    const once = await grant(open, 40n, WINDOW);
    // Again, only the wait is repeated.
    expect(await grant(open, 40n, WINDOW)).toEqual(once);
    await expect(grant(open, 41n, WINDOW)).rejects.toMatchObject({ code: 9 });
    await expect(end(admin, open, 'decline')).rejects.toMatchObject({ code: 9 });
    const gone = await ask(developer, { keyId, window: 'month' });
    await nodes.deleteProject(projectId);
    await expect(grant(gone, 500n, WINDOW)).rejects.toMatchObject({ code: 9 });
  });

  it('is in the audit log, with who asked, as are the others', async () => {
    const { keyId } = await createKey(developer);
    await grant(await ask(developer, { keyId, amountNanos: 30n }), 20n, WINDOW);
    await end(admin, await ask(developer, { keyId }), 'decline');
    await end(developer, await ask(developer, { keyId }), 'withdraw');
    await grant(await ask(developer, { keyId, window: 'month' }), 2_000_000_000n, ALWAYS);
    const { rows } = await fixture.pool.query(
      `SELECT actor_id, action, details FROM auth.audit
       WHERE account_id = $1 AND (action LIKE 'limit_request.%' OR action = 'project.update') ORDER BY entry_id`,
      [account.accountId],
    );
    const ofAdmin = { actor_id: admin.personId };
    const ofDeveloper = { actor_id: developer.personId };
    const asks = { ...ofDeveloper, action: 'limit_request.create' };
    expect(rows).toMatchObject([
      { ...asks, details: { of: 'project', window: 'day', reason: 'a large run', amount: '$0.00000003' } },
      {
        ...{ ...ofAdmin, action: 'limit_request.grant' },
        details: { amount: '$0.00000002', duration: 'this day', asked_by: developer.person.email, note: 'enough' },
      },
      asks,
      { ...ofAdmin, action: 'limit_request.decline', details: { note: 'not now' } },
      asks,
      { ...ofDeveloper, action: 'limit_request.withdraw' },
      asks,
      { ...ofAdmin, action: 'limit_request.grant', details: { window: 'month', amount: '$2', duration: 'for good' } },
      { ...ofAdmin, action: 'project.update', details: { month_cap: '$0.0000001 → $2' } },
    ]);
  });
});
