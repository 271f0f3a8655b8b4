import { status } from '@grpc/grpc-js';
import { CAP_PERIOD_OF_LABEL, CAP_PERIODS } from '@tollgate/common/cap-periods';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { newId, newTraceId } from '@tollgate/common/ids';
import { actorWith, tokenFor } from '@tollgate/common/testing/actors';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import {
  CapPeriod,
  DepositKind,
  GetUsageRequest,
  LedgerServiceClient,
  ListChargesRequest,
  ListRefusalsRequest,
  Refusal,
  UsageInterval,
} from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { acquireCap, fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { recordRefusals } from '../refusals/record-refusals.ts';
import { ensureAccounts } from '../store/balances.ts';
import { buildLateIndexes, LateIndexes } from '../store/late-indexes.ts';
import { partitionName } from '../store/partitions.ts';
import { DAY_MS } from '../store/time.ts';

const CALL = { deadlineMs: 20_000 };

/** What auth says of an actor; undefined: it does not respond. */
let hasRole: boolean | undefined;
const auth = {
  checkActor: (_request: unknown, _metadata: unknown, _options: unknown, callback: (...result: unknown[]) => void) =>
    hasRole === undefined ? callback(new Error('auth is down')) : callback(null, { hasRole }),
  close: () => undefined,
} as unknown as AuthServiceClient;

let ledger: ServedLedger;
/** Without a token of its own. */
let plain: LedgerServiceClient;
beforeAll(async () => {
  ledger = await serveLedger({}, { auth });
  plain = createGrpcClient(LedgerServiceClient, `127.0.0.1:${ledger.server.port}`);
});
afterAll(async () => {
  plain.close();
  await ledger.drop();
});

describe('balances', () => {
  it('of several accounts have the spending of this month and the loss', async () => {
    const { client, pool } = ledger;
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 100n);
    await settle(pool, buildCharge({ accountId, sessionId, holdNanos: 60n }, 80n));
    const unknown = newId();
    const recentFromMs = BigInt(Math.floor(Date.now() / DAY_MS - 6) * DAY_MS);
    const request = { accountIds: [accountId, unknown], recentFromMs };
    const { balances } = await unaryCall(client.listBalances.bind(client), request, CALL);
    const recentFirstMs = BigInt(Math.floor(Date.now() / DAY_MS) * DAY_MS);
    expect(balances).toMatchObject([
      { balance: { accountId, balanceNanos: 940n }, monthNanos: 60n, lossNanos: 20n, recentNanos: 60n, recentFirstMs },
      { balance: { accountId: unknown, balanceNanos: 0n }, monthNanos: 0n, lossNanos: 0n, recentNanos: 0n },
    ]);
  });
});

describe('a request of any account', () => {
  const byId = (value: string) => ({ by: { $case: 'requestId' as const, value } });
  const byTrace = (value: string) => ({ by: { $case: 'traceId' as const, value } });
  const find = (request: Parameters<LedgerServiceClient['findRequest']>[0]) => {
    const { client } = ledger;
    return unaryCall(client.findRequest.bind(client), request, CALL);
  };

  it('is found by its id or trace, charged or refused', async () => {
    const { pool } = ledger;
    const accountId = await fundedAccount(pool, 1_000n);
    const charge = buildCharge({ accountId, sessionId: await leasingSession(pool, accountId, 100n) }, 10n);
    await settle(pool, charge);
    const refusal = Refusal.fromPartial({
      requestId: newId(),
      traceId: newTraceId(),
      accountId: newId(),
      keyId: newId(),
      httpStatus: 400,
      errorType: 'insufficient_balance',
      reason: 'insufficient_balance',
      refusedAtMs: BigInt(Date.now()),
    });
    await recordRefusals(pool, { refusals: [refusal], dropped: [], unknownKeys: 0n });
    for (const { requestId, traceId, accountId: owner } of [charge, refusal]) {
      expect(await find(byId(requestId))).toEqual({ accountId: owner, requestId });
      expect(await find(byTrace(traceId))).toEqual({ accountId: owner, requestId });
    }
  });

  it('that nobody made is NOT_FOUND', async () => {
    await expect(find(byId(newId()))).rejects.toMatchObject({ code: status.NOT_FOUND });
    await expect(find(byTrace(newTraceId()))).rejects.toMatchObject({ code: status.NOT_FOUND });
  });
});

describe('usage of all accounts', () => {
  it('is summed by model, over more accounts than one statement sums', async () => {
    const { client, pool } = ledger;
    const model = `model ${newId()}`;
    const dayMs = BigInt(Math.floor(Date.now() / DAY_MS) * DAY_MS);
    for (let count = 0; count < 3; count++) {
      const accountId = await fundedAccount(pool, 1_000n);
      await settle(
        pool,
        buildCharge({ accountId, sessionId: await leasingSession(pool, accountId, 100n), model }, 10n),
      );
    }
    await ensureAccounts(
      pool,
      Array.from({ length: 250 }, () => newId()),
    );
    const request = { startMs: dayMs - BigInt(30 * DAY_MS), endMs: dayMs + BigInt(DAY_MS) };
    const { rows } = await unaryCall(client.sumUsage.bind(client), request, CALL);
    expect(rows.find((row) => row.model === model)).toMatchObject({ requests: 3n, costNanos: 30n });
    const long = unaryCall(client.sumUsage.bind(client), { ...request, startMs: 0n }, CALL);
    await expect(long).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});

describe('status', () => {
  it('has totals, losses and sessions', async () => {
    const { client, pool } = ledger;
    const read = () => unaryCall(client.getStatus.bind(client), {}, CALL);
    const before = await read();
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 100n);
    await settle(pool, buildCharge({ accountId, sessionId, holdNanos: 60n }, 80n));
    const after = await read();
    expect(after.balanceNanos - before.balanceNanos).toBe(940n);
    expect(after.lossNanos - before.lossNanos).toBe(20n);
    expect(after.losses.map(({ balance }) => balance?.accountId)).toContain(accountId);
    expect(after.sessions.find((session) => session.sessionId === sessionId)).toMatchObject({
      ingressName: 'test-ingress',
      unsettledCharges: 0n,
    });
  });

  it('is for operators', async () => {
    const actorToken = await tokenFor(actorWith({ role: 'owner', accountId: newId() }));
    await expect(unaryCall(plain.getStatus.bind(plain), {}, { ...CALL, actorToken })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
  });
});

describe('usage of caps', () => {
  it('is what keys have spent in the current periods', async () => {
    const { client, pool } = ledger;
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 100n);
    const keyId = newId();
    const today = Date.now() - (Date.now() % DAY_MS);
    const demand = { sequence: 1n, grantedTotalNeeded: 50n, limitNanos: 1_000n, revision: 1n };
    const periods = [{ period: 'day', startMs: today } as const, { period: 'total', startMs: 0 } as const];
    for (const period of periods) await acquireCap(pool, sessionId, { accountId, nodeId: keyId, ...period }, demand);
    const caps = [CapPeriod.DAY, CapPeriod.TOTAL];
    await settle(pool, buildCharge({ accountId, sessionId, keyId, caps }, 30n));
    const other = newId();
    const request = {
      accountId,
      nodes: [
        { nodeId: keyId, periods: caps },
        { nodeId: other, periods: [CapPeriod.DAY] },
      ],
    };
    const used = await unaryCall(client.getCapUsage.bind(client), request, CALL);
    const day = { periodStartMs: BigInt(today), periodEndMs: BigInt(today + DAY_MS) };
    expect(used.caps).toMatchObject([
      { nodeId: keyId, period: CapPeriod.DAY, ...day, spentNanos: 30n },
      { nodeId: keyId, period: CapPeriod.TOTAL, periodStartMs: 0n, periodEndMs: 0n, spentNanos: 30n },
      { nodeId: other, period: CapPeriod.DAY, ...day, spentNanos: 0n, heldNanos: 0n, limitNanos: 0n },
    ]);
    for (const { heldNanos } of used.caps.slice(0, 2)) expect(heldNanos).toBeGreaterThanOrEqual(20n);
  });

  it('is what nodes above keys have spent, with and without a cap, for all but developers', async () => {
    const { client, pool } = ledger;
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 100n);
    const [nodeId, keyId] = [newId(), newId()];
    const demand = { sequence: 1n, grantedTotalNeeded: 50n, limitNanos: 1_000n, revision: 1n };
    const total = { accountId, nodeId, period: 'total', startMs: 0 } as const;
    await acquireCap(pool, sessionId, total, demand);
    const project = { nodeId, caps: [CapPeriod.TOTAL], name: 'search', scope: 'project' };
    await settle(pool, buildCharge({ accountId, sessionId, keyId, nodes: [project] }, 30n));
    const periods = CAP_PERIODS.map((period) => CAP_PERIOD_OF_LABEL[period]);
    const request = {
      accountId,
      nodes: [
        { nodeId, periods },
        { nodeId: keyId, periods: [CapPeriod.MONTH] },
      ],
    };
    const used = await unaryCall(client.getCapUsage.bind(client), request, CALL);
    const without = { nodeId, spentNanos: 30n, heldNanos: 0n, limitNanos: 0n, reached: false };
    expect(used.caps).toMatchObject([
      { ...without, period: CapPeriod.DAY },
      { ...without, period: CapPeriod.WEEK },
      { ...without, period: CapPeriod.MONTH },
      { nodeId, spentNanos: 30n, limitNanos: 1_000n, period: CapPeriod.TOTAL },
      { ...without, nodeId: keyId, period: CapPeriod.MONTH },
    ]);
    const actorToken = await tokenFor(actorWith({ role: 'developer', accountId, keyIds: [keyId] }));
    const seen = await unaryCall(plain.getCapUsage.bind(plain), request, { ...CALL, actorToken });
    expect(seen.caps.map((cap) => cap.nodeId)).toEqual([keyId]);
  });
});

describe('audit', () => {
  it('names who made a deposit, who has their role still, and cannot be changed', async () => {
    const { client, pool } = ledger;
    const accountId = newId();
    const actor = actorWith({ id: newId(), name: 'rb@example.com', via: 'console' });
    const request = { accountId, kind: DepositKind.DEPOSIT, amountNanos: 5n, idempotencyKey: 'k', reason: 'paid' };
    const deposit = async () =>
      unaryCall(plain.deposit.bind(plain), request, { ...CALL, actorToken: await tokenFor(actor) });
    hasRole = false;
    await expect(deposit()).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    hasRole = undefined;
    await expect(deposit()).rejects.toMatchObject({ code: status.UNAVAILABLE });
    hasRole = true;
    await deposit();
    const now = Date.now();
    const query = { accountId, startMs: BigInt(now - DAY_MS), endMs: BigInt(now + DAY_MS), limit: 10 };
    const filters = { beforeEntryId: '', actorId: '', targetId: '', action: 'deposit' };
    const { entries, more } = await unaryCall(client.listAudit.bind(client), { ...query, ...filters }, CALL);
    expect(more).toBe(false);
    expect(entries).toMatchObject([
      { accountId, action: 'deposit.create', actor: { actorId: actor.id, name: 'rb@example.com', via: 'console' } },
    ]);
    for (const change of [
      'UPDATE ledger.audit SET actor_name = $$x$$',
      'DELETE FROM ledger.audit',
      'TRUNCATE ledger.audit',
    ]) {
      await expect(pool.query(change)).rejects.toThrow(/never changed or removed/);
    }
  });
});

describe('charges and transfers', () => {
  it.each(['charges', 'transfers'] as const)(
    '%s cannot be changed or removed, nor in their partitions',
    async (table) => {
      const { pool } = ledger;
      const accountId = await fundedAccount(pool, 100n);
      const sessionId = await leasingSession(pool, accountId, 100n);
      await settle(pool, buildCharge({ accountId, sessionId }, 60n));
      const partition = partitionName(table, Date.now());
      for (const name of [table, partition]) {
        await expect(pool.query(`UPDATE ledger.${name} SET account_id = account_id`)).rejects.toThrow(/never changed/);
        await expect(pool.query(`DELETE FROM ledger.${name}`)).rejects.toThrow(/never changed or removed/);
      }
      await expect(pool.query(`TRUNCATE ledger.${table}`)).rejects.toThrow(/never changed or removed/);
    },
  );
});

describe('events of all accounts', () => {
  it('follow one another, oldest first, each once', async () => {
    const { client, pool } = ledger;
    const accountId = await fundedAccount(pool, 100n);
    const thresholds = { accountId, thresholdsNanos: [50n, 20n], useDefaults: false };
    await unaryCall(client.setThresholds.bind(client), thresholds, CALL);
    const sessionId = await leasingSession(pool, accountId, 100n);
    await settle(pool, buildCharge({ accountId, sessionId }, 60n));
    await settle(pool, buildCharge({ accountId, sessionId }, 30n));
    const read = async (afterEventId: string, limit: number) =>
      (await unaryCall(client.listEventsAfter.bind(client), { afterEventId, limit }, CALL)).events;
    await expect
      .poll(async () => (await read('', 1_000)).filter((event) => event.accountId === accountId).length)
      .toBe(2);
    const all = await read('', 1_000);
    const paged: string[] = [];
    for (let page = await read('', 1); page.length > 0; page = await read(paged.at(-1) ?? '', 1)) {
      paged.push(...page.map(({ eventId }) => eventId));
    }
    expect(paged).toEqual(all.map(({ eventId }) => eventId));
  });
});

it('indexes that an upgrade did not create are built, on all partitions', async () => {
  const { pool } = ledger;
  for (const index of ['charges_by_client_session', 'charges_not_completed', 'usage_hourly_by_key']) {
    await pool.query(`DROP INDEX ledger.${index}`);
  }
  await pool.query(
    'CREATE INDEX charges_by_client_session ON ONLY ledger.charges (account_id, client_session_id, request_id) WHERE client_session_id IS NOT NULL',
  );
  await pool.query(
    `CREATE INDEX charges_not_completed ON ONLY ledger.charges (account_id, request_id) WHERE status <> 'completed'`,
  );
  const late = new LateIndexes(pool);
  expect(await late.exist()).toBe(false);
  const built = await buildLateIndexes(pool, new AbortController().signal);
  expect(built).toContain('usage_hourly_by_key');
  expect(await late.exist()).toBe(true);
  expect(await buildLateIndexes(pool, new AbortController().signal)).toEqual([]);
});

describe('a developer', () => {
  it('sees charges and usage of keys they made and of what is below these, and of no other key', async () => {
    const { pool } = ledger;
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 1_000n);
    const [keyId, childId, project] = [newId(), newId(), newId()];
    const nodes = [{ nodeId: project, caps: [], name: 'search', scope: 'project' }];
    const below = [...nodes, { nodeId: keyId, caps: [], name: 'agent', scope: 'key' }];
    const own = buildCharge({ accountId, sessionId, keyId, nodes }, 1n);
    const derived = buildCharge({ accountId, sessionId, keyId: childId, nodes: below }, 2n);
    const foreign = buildCharge({ accountId, sessionId, nodes }, 4n);
    await settle(pool, own, derived, foreign);
    const actorToken = await tokenFor(actorWith({ role: 'developer', accountId, keyIds: [keyId] }));
    const call = { ...CALL, actorToken };
    const range = { accountId, startMs: 0n, endMs: BigInt(Date.now() + DAY_MS) };
    const listed = async (filter: Partial<ListChargesRequest>) => {
      const request = ListChargesRequest.fromPartial({ ...range, limit: 10, ...filter });
      return (await unaryCall(plain.listCharges.bind(plain), request, call)).charges.map(({ requestId }) => requestId);
    };
    expect((await listed({})).sort()).toEqual([own.requestId, derived.requestId].sort());
    expect(await listed({ keyId: childId })).toEqual([derived.requestId]);
    expect(await listed({ keyId: foreign.keyId })).toEqual([]);
    expect(await listed({ projectId: newId() })).toEqual([]);
    const get = ({ requestId }: { requestId: string }) => {
      const by = { $case: 'requestId' as const, value: requestId };
      return unaryCall(plain.getCharge.bind(plain), { accountId, by, waitMs: 0 }, call);
    };
    expect((await get(derived)).requestId).toBe(derived.requestId);
    await expect(get(foreign)).rejects.toMatchObject({ code: status.NOT_FOUND });
    const usage = GetUsageRequest.fromPartial({ ...range, interval: UsageInterval.DAY, groupByProject: true });
    const { rows } = await unaryCall(plain.getUsage.bind(plain), { ...usage, totals: true }, call);
    expect(rows).toMatchObject([{ projectId: project, requests: 2n, costNanos: 3n }]);
  });

  it('of some projects sees nothing of their keys in others', async () => {
    const { pool } = ledger;
    const accountId = await fundedAccount(pool, 1_000n);
    const sessionId = await leasingSession(pool, accountId, 1_000n);
    const [keyId, older, here, there] = [newId(), newId(), newId(), newId()];
    const at = (nodeId: string) => [{ nodeId, caps: [], name: 'p', scope: 'project' }];
    const seen = buildCharge({ accountId, sessionId, keyId, nodes: at(here) }, 1n);
    const hidden = buildCharge({ accountId, sessionId, keyId, nodes: at(there) }, 2n);
    const unnamed = buildCharge({ accountId, sessionId, keyId: older }, 4n);
    await settle(pool, seen, hidden, unnamed);
    const refusal = (nodes: Refusal['nodes']) =>
      Refusal.fromPartial({
        ...{ requestId: newId(), traceId: newTraceId(), accountId, keyId, nodes, refusedAtMs: BigInt(Date.now()) },
        ...{ httpStatus: 400, errorType: 'insufficient_balance', reason: 'insufficient_balance' },
      });
    const refusals = [refusal(at(here)), refusal(at(there)), refusal([])];
    await recordRefusals(pool, { refusals, dropped: [], unknownKeys: 0n });
    const actor = actorWith({ role: 'developer', accountId, keyIds: [keyId, older], projectIds: [here] });
    const call = { ...CALL, actorToken: await tokenFor(actor) };
    const range = { accountId, startMs: 0n, endMs: BigInt(Date.now() + DAY_MS) };
    const listed = async (filter: Partial<ListChargesRequest>) => {
      const request = ListChargesRequest.fromPartial({ ...range, limit: 10, ...filter });
      return (await unaryCall(plain.listCharges.bind(plain), request, call)).charges.map(({ requestId }) => requestId);
    };
    expect(await listed({})).toEqual([seen.requestId]);
    expect(await listed({ projectId: there })).toEqual([]);
    for (const { requestId } of [hidden, unnamed]) {
      const by = { $case: 'requestId' as const, value: requestId };
      const found = unaryCall(plain.getCharge.bind(plain), { accountId, by, waitMs: 0 }, call);
      await expect(found).rejects.toMatchObject({ code: status.NOT_FOUND });
    }
    const usage = GetUsageRequest.fromPartial({ ...range, interval: UsageInterval.DAY, totals: true });
    const costs = async (filter: Partial<GetUsageRequest>) =>
      (await unaryCall(plain.getUsage.bind(plain), { ...usage, ...filter }, call)).rows.map((row) => row.costNanos);
    expect(await costs({})).toEqual([1n]);
    expect(await costs({ projectIds: [there, accountId] })).toEqual([]);
    const request = ListRefusalsRequest.fromPartial({ ...range, limit: 10 });
    const list = await unaryCall(plain.listRefusals.bind(plain), request, call);
    expect(list.refusals.map(({ requestId }) => requestId)).toEqual([refusals[0]?.requestId]);
    const find = (requestId = '') => {
      const by = { $case: 'requestId' as const, value: requestId };
      return unaryCall(plain.getRefusal.bind(plain), { accountId, by }, call);
    };
    expect((await find(refusals[0]?.requestId)).keyId).toBe(keyId);
    await expect(find(refusals[1]?.requestId)).rejects.toMatchObject({ code: status.NOT_FOUND });
  });
});
