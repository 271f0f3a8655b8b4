import { status } from '@grpc/grpc-js';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { idFloor, newId, newTraceId } from '@tollgate/common/ids';
import { actorWith, tokenFor } from '@tollgate/common/testing/actors';
import {
  CountRefusalsRequest,
  LedgerServiceClient,
  ListRefusalsRequest,
  RecordRefusalsRequest,
  Refusal,
} from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { removeOldRefusalRecords } from '../jobs/retention.ts';
import { MAX_KEPT } from '../store/refusals.ts';
import { DAY_MS } from '../store/time.ts';

const CALL = { deadlineMs: 20_000 };
const LIMIT = { scope: 'key', id: 'k', name: 'ci', window: 'day', projectId: '' };

let ledger: ServedLedger;
/** Without a token of its own. */
let plain: LedgerServiceClient;
beforeAll(async () => {
  ledger = await serveLedger();
  plain = createGrpcClient(LedgerServiceClient, `127.0.0.1:${ledger.server.port}`);
});
afterAll(async () => {
  plain.close();
  await ledger.drop();
});

function refusal(accountId: string, fields: Partial<Refusal> = {}): Refusal {
  return Refusal.fromPartial({
    requestId: newId(),
    traceId: newTraceId(),
    accountId,
    keyId: newId(),
    keyName: 'ci',
    model: 'small',
    protocolIn: 'openai-chat',
    httpStatus: 400,
    errorType: 'insufficient_balance',
    reason: 'insufficient_balance',
    message: 'too little',
    refusedAtMs: BigInt(Date.now()),
    ...fields,
  });
}

const record = (fields: Parameters<typeof RecordRefusalsRequest.fromPartial>[0]) => {
  const { client } = ledger;
  return unaryCall(client.recordRefusals.bind(client), RecordRefusalsRequest.fromPartial(fields), CALL);
};

async function list(accountId: string, fields: Partial<ListRefusalsRequest> = {}, actorToken?: string) {
  const client = actorToken === undefined ? ledger.client : plain;
  const range = { startMs: 0n, endMs: BigInt(Date.now() + DAY_MS) };
  const request = ListRefusalsRequest.fromPartial({ accountId, ...range, limit: 1_000, ...fields });
  return unaryCall(
    client.listRefusals.bind(client),
    request,
    actorToken === undefined ? CALL : { ...CALL, actorToken },
  );
}

async function counts(accountId: string, actorToken?: string, filter: Partial<CountRefusalsRequest> = {}) {
  const client = actorToken === undefined ? ledger.client : plain;
  const now = Date.now();
  const request = CountRefusalsRequest.fromPartial({
    accountId,
    startMs: BigInt(now - DAY_MS),
    endMs: BigInt(now + DAY_MS),
    ...filter,
  });
  const options = actorToken === undefined ? CALL : { ...CALL, actorToken };
  const response = await unaryCall(client.countRefusals.bind(client), request, options);
  return response.counts.map(({ reason, count }) => [reason, Number(count)]);
}

describe('refusal', () => {
  it('is recorded and counted once, however often it is reported', async () => {
    const accountId = newId();
    const one = refusal(accountId, { clientSessionId: 's' });
    const report = { refusals: [one, refusal(accountId, { reason: 'key_expired' }), refusal(accountId)] };
    await record(report);
    await record(report);
    expect((await list(accountId)).refusals).toHaveLength(3);
    expect((await list(accountId, { clientSessionId: 's' })).refusals).toEqual([one]);
    expect(await counts(accountId)).toEqual([
      ['insufficient_balance', 2],
      ['key_expired', 1],
    ]);
  });

  it('is found by its request id and its trace id, in its account only', async () => {
    const accountId = newId();
    const one = refusal(accountId);
    await record({ refusals: [one] });
    const { client } = ledger;
    const get = (account: string, by: { $case: 'requestId' | 'traceId'; value: string }) =>
      unaryCall(client.getRefusal.bind(client), { accountId: account, by }, CALL);
    expect(await get(accountId, { $case: 'requestId', value: one.requestId })).toEqual(one);
    expect(await get(accountId, { $case: 'traceId', value: one.traceId })).toEqual(one);
    await expect(get(newId(), { $case: 'requestId', value: one.requestId })).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
  });

  it('has the cap that refused it, with its name for roles that see such names', async () => {
    const accountId = newId();
    const keyId = newId();
    const projectId = newId();
    const limitOf = (scope: string) => ({ scope, id: newId(), name: `a ${scope}`, window: 'month', projectId });
    const [project, serviceAccount, member] = [limitOf('project'), limitOf('service_account'), limitOf('member')];
    const session = { scope: 'session', id: 'nightly run', name: 'nightly run', window: 'session', projectId: '' };
    const limits = [undefined, session, project, serviceAccount, member];
    const made = limits.map((limit) => refusal(accountId, { keyId, limit, reason: 'cap_exceeded' }));
    await record({ refusals: made });
    const shown = async (role: 'owner' | 'developer' | 'billing') => {
      const keyIds = role === 'developer' ? { keyIds: [keyId] } : {};
      const actorToken = await tokenFor(actorWith({ role, accountId, ...keyIds }));
      const by = { $case: 'requestId', value: made[4]?.requestId ?? '' } as const;
      const one = await unaryCall(plain.getRefusal.bind(plain), { accountId, by }, { ...CALL, actorToken });
      const listed = (await list(accountId, {}, actorToken)).refusals;
      expect(listed.find(({ requestId }) => requestId === one.requestId)).toEqual(one);
      return made.map((each) => listed.find(({ requestId }) => requestId === each.requestId)?.limit);
    };
    const unnamed = (limit: typeof project) => ({ ...limit, name: '' });
    expect(await shown('owner')).toEqual(limits);
    expect(await shown('developer')).toEqual([undefined, session, project, serviceAccount, unnamed(member)]);
    expect(await shown('billing')).toEqual([undefined, session, project, unnamed(serviceAccount), unnamed(member)]);
  });

  it('that an ingress dropped is counted, with requests of unknown keys for operators', async () => {
    const accountId = newId();
    const { client } = ledger;
    const unknown = async () => (await unaryCall(client.getStatus.bind(client), {}, CALL)).unknownKeys;
    const before = await unknown();
    await record({
      refusals: [refusal(accountId)],
      dropped: [{ accountId, reason: 'rate_limited', count: 500n }],
      unknownKeys: 7n,
    });
    expect(await counts(accountId)).toEqual([
      ['rate_limited', 500],
      ['insufficient_balance', 1],
    ]);
    expect((await unknown()) - before).toBe(7n);
  });

  it.each<[string, Partial<Refusal>]>([
    ['request_id', { requestId: '0190a0b0-0000-4000-8000-000000000000' }],
    ['trace_id', { traceId: 'x' }],
    ['account_id', { accountId: 'x' }],
    ['reason', { reason: 'Too Long' }],
    ['http_status', { httpStatus: 200 }],
    ['message', { message: 'm'.repeat(1_001) }],
    ['model', { model: 'nul\0' }],
    ['refused_at_ms', { refusedAtMs: BigInt(Date.now() - 8 * DAY_MS) }],
    ['limit.scope', { limit: { ...LIMIT, scope: 'A project' } }],
    ['limit.id', { limit: { ...LIMIT, id: '' } }],
    ['limit.name', { limit: { ...LIMIT, name: 'n'.repeat(1_001) } }],
    ['limit.window', { limit: { ...LIMIT, window: '' } }],
    ['limit.project_id', { limit: { ...LIMIT, projectId: 'x' } }],
  ])('with an unusable %s is refused', async (name, fields) => {
    await expect(record({ refusals: [refusal(newId()), refusal(newId(), fields)] })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^refusals\\[1\\]\\.${name}: `)),
    });
  });
});

describe('refusals', () => {
  it('are listed newest first, after a cursor or any request id, by key, model and reason', async () => {
    const accountId = newId();
    const keyId = newId();
    const made = [
      refusal(accountId),
      refusal(accountId, { keyId, model: 'large' }),
      refusal(accountId, { keyId }),
      refusal(accountId, { reason: 'rate_limited' }),
    ];
    await record({ refusals: made });
    const ids = made
      .map(({ requestId }) => requestId)
      .sort()
      .reverse();
    const first = await list(accountId, { limit: 3 });
    expect(first.refusals.map(({ requestId }) => requestId)).toEqual(ids.slice(0, 3));
    const rest = await list(accountId, { limit: 3, cursor: first.nextCursor });
    expect(rest.refusals.map(({ requestId }) => requestId)).toEqual(ids.slice(3));
    expect(rest.nextCursor).toBe('');
    expect((await list(accountId, { cursor: ids[0] ?? '' })).refusals).toHaveLength(3);
    expect((await list(accountId, { keyId })).refusals).toHaveLength(2);
    expect((await list(accountId, { keyId, model: 'large' })).refusals).toHaveLength(1);
    expect((await list(accountId, { reason: 'rate_limited' })).refusals).toHaveLength(1);
  });

  it('are kept up to a number for each account, the latest', async () => {
    const [accountId, other] = [newId(), newId()];
    await record({ refusals: [refusal(other)] });
    const made = Array.from({ length: MAX_KEPT + 50 }, () => refusal(accountId));
    for (let at = 0; at < made.length; at += 500) await record({ refusals: made.slice(at, at + 500) });
    const { refusals } = await list(accountId);
    expect(refusals).toHaveLength(MAX_KEPT);
    expect(refusals.at(-1)?.requestId).toBe(made.map(({ requestId }) => requestId).sort()[50]);
    expect((await list(other)).refusals).toHaveLength(1);
    expect(await counts(accountId)).toEqual([['insufficient_balance', MAX_KEPT + 50]]);
  });

  it('are kept and counted exactly when batches arrive at once, also with the same ones in another order', async () => {
    const accountId = newId();
    const batches = (size: number) =>
      Array.from({ length: 4 }, () => Array.from({ length: size }, () => refusal(accountId)));
    const repeated = batches(MAX_KEPT / 4);
    await Promise.all(
      repeated.flatMap((refusals) => [record({ refusals }), record({ refusals: refusals.toReversed() })]),
    );
    const more = batches(400);
    await Promise.all(more.map((refusals) => record({ refusals })));
    await record({ refusals: [refusal(accountId)] });
    const { refusals } = await list(accountId);
    expect(refusals).toHaveLength(MAX_KEPT);
    const newest = more
      .flat()
      .map(({ requestId }) => requestId)
      .sort()
      .reverse();
    expect(refusals.at(-1)?.requestId).toBe(newest[MAX_KEPT - 2]);
    expect(await counts(accountId)).toEqual([['insufficient_balance', MAX_KEPT + 1_601]]);
  });

  it('are removed after a week, their counts after a year', async () => {
    const accountId = newId();
    const old = Date.now() - 7 * DAY_MS + 60_000;
    const requestId = `${idFloor(old).slice(0, 13)}-7${newId().slice(15)}`;
    await record({ refusals: [refusal(accountId, { requestId, refusedAtMs: BigInt(old) }), refusal(accountId)] });
    await removeOldRefusalRecords(ledger.pool, Date.now());
    expect((await list(accountId)).refusals).toHaveLength(2);
    await removeOldRefusalRecords(ledger.pool, Date.now() + 120_000);
    expect((await list(accountId)).refusals).toHaveLength(1);
    await removeOldRefusalRecords(ledger.pool, Date.now() + 368 * DAY_MS);
    expect((await list(accountId)).refusals).toEqual([]);
    expect(await counts(accountId)).toEqual([]);
  });

  it('are listed and counted by project and owner, and in none where the key was not accepted', async () => {
    const accountId = newId();
    const [projectId, ownerId] = [newId(), newId()];
    const project = { nodeId: projectId, scope: 'project', name: 'search', caps: [] };
    const owner = { nodeId: ownerId, scope: 'service_account', name: 'ci', caps: [] };
    const session = { nodeId: newId(), scope: 'session', name: 'run', caps: [] };
    const [inProject, ofOwner] = [
      refusal(accountId, { nodes: [project, session] }),
      refusal(accountId, { nodes: [project, owner] }),
    ];
    await record({ refusals: [inProject, ofOwner, refusal(accountId)] });
    const idsOf = async (filter: Partial<ListRefusalsRequest>) =>
      (await list(accountId, filter)).refusals.map(({ requestId }) => requestId).sort();
    expect(await idsOf({ projectId })).toEqual([inProject.requestId, ofOwner.requestId].sort());
    expect(await idsOf({ projectId, ownerId })).toEqual([ofOwner.requestId]);
    expect(await idsOf({ projectId: accountId })).toEqual([]);
    expect(await idsOf({})).toHaveLength(3);
    expect(await counts(accountId, undefined, { projectId })).toEqual([['insufficient_balance', 2]]);
    expect(await counts(accountId, undefined, { ownerId })).toEqual([['insufficient_balance', 1]]);
    expect(await counts(accountId, undefined, { projectId: accountId })).toEqual([]);
    const { refusals } = await list(accountId, { ownerId });
    expect(refusals[0]?.nodes.map(({ nodeId }) => nodeId)).toEqual([projectId, ownerId]);
  });

  it('of derived keys are shown to the developer who made the key above them', async () => {
    const accountId = newId();
    const keyId = newId();
    const above = { nodeId: keyId, scope: 'key', name: 'agent', caps: [] };
    const made = refusal(accountId, { nodes: [{ ...above, nodeId: newId(), scope: 'project' }, above] });
    await record({ refusals: [made, refusal(accountId)] });
    const token = await tokenFor(actorWith({ role: 'developer', accountId, keyIds: [keyId] }));
    expect((await list(accountId, {}, token)).refusals.map(({ requestId }) => requestId)).toEqual([made.requestId]);
    expect(await counts(accountId, token)).toEqual([['insufficient_balance', 1]]);
    const by = { $case: 'requestId' as const, value: made.requestId };
    const find = (actorToken: string) =>
      unaryCall(plain.getRefusal.bind(plain), { accountId, by }, { ...CALL, actorToken });
    expect((await find(token)).requestId).toBe(made.requestId);
    const another = await tokenFor(actorWith({ role: 'developer', accountId, keyIds: [newId()] }));
    await expect(find(another)).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it('are shown to a developer for the keys they made', async () => {
    const accountId = newId();
    const keyId = newId();
    await record({ refusals: [refusal(accountId, { keyId }), refusal(accountId)] });
    const token = await tokenFor(actorWith({ role: 'developer', accountId, keyIds: [keyId] }));
    expect((await list(accountId, {}, token)).refusals.map((each) => each.keyId)).toEqual([keyId]);
    expect(await counts(accountId, token)).toEqual([['insufficient_balance', 1]]);
    const stranger = await tokenFor(actorWith({ role: 'owner', accountId: newId() }));
    await expect(list(accountId, {}, stranger)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
  });
});
