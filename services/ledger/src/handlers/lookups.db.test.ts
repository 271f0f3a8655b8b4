import { status } from '@grpc/grpc-js';
import { unaryCall } from '@tollgate/common/grpc/client';
import { idFloor, newId } from '@tollgate/common/ids';
import {
  type Charge,
  ChargeStatus,
  type GetChargeRequest,
  GetUsageRequest,
  ListChargesRequest,
  SettleOutcome,
  UsageInterval,
} from '@tollgate/proto/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { Duplex } from '../../testing/duplex.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';

let ledger: ServedLedger;
beforeAll(async () => {
  ledger = await serveLedger();
});
afterAll(() => ledger.drop());

const deadline = { deadlineMs: 5_000 };

async function owner(): Promise<{ accountId: string; sessionId: string }> {
  const accountId = await fundedAccount(ledger.pool, 100_000n);
  return { accountId, sessionId: await leasingSession(ledger.pool, accountId, 50_000n) };
}

/** A charge of a request that started then. */
function chargeAt(timeMs: number, fields: Parameters<typeof buildCharge>[0], cost = 10n): Charge {
  const requestId = `${idFloor(timeMs).slice(0, 13)}-7${newId().slice(15)}`;
  return buildCharge({ ...fields, requestId, startedAtMs: BigInt(timeMs) }, cost);
}

function getCharge(accountId: string, by: GetChargeRequest['by'], waitMs = 0): Promise<Charge> {
  return unaryCall(ledger.client.getCharge.bind(ledger.client), { accountId, by, waitMs }, deadline);
}

function listCharges(fields: Partial<ListChargesRequest> & { accountId: string }) {
  const all = { startMs: 0n, endMs: BigInt(Date.now() + 60_000), limit: 100 };
  const request = ListChargesRequest.fromPartial({ ...all, ...fields });
  return unaryCall(ledger.client.listCharges.bind(ledger.client), request, deadline);
}

function getUsage(fields: Partial<GetUsageRequest> & { accountId: string }) {
  const all = { startMs: 0n, endMs: BigInt(Date.now() + 60_000), interval: UsageInterval.HOUR };
  const request = GetUsageRequest.fromPartial({ ...all, ...fields });
  return unaryCall(ledger.client.getUsage.bind(ledger.client), request, deadline);
}

describe('a charge', () => {
  it('is found by either id, and only by its account', async () => {
    const own = await owner();
    const charge = buildCharge(own);
    await settle(ledger.pool, charge);
    const expected = { ...charge, chargedNanos: charge.costNanos, settledAtMs: expect.any(BigInt) };
    expect(await getCharge(own.accountId, { $case: 'requestId', value: charge.requestId })).toEqual(expected);
    expect(await getCharge(own.accountId, { $case: 'traceId', value: charge.traceId })).toEqual(expected);
    for (const by of [
      { $case: 'requestId', value: charge.requestId } as const,
      { $case: 'traceId', value: charge.traceId } as const,
    ]) {
      await expect(getCharge(newId(), by)).rejects.toMatchObject({ code: status.NOT_FOUND });
    }
  });

  it('that is about to be committed is waited for', async () => {
    const own = await owner();
    const charge = buildCharge(own);
    const found = getCharge(own.accountId, { $case: 'requestId', value: charge.requestId }, 2_000);
    const stream = new Duplex(ledger.client.settle());
    stream.send({ sequence: 1n, charges: [charge] });
    expect((await stream.next()).outcomes).toEqual([SettleOutcome.POSTED]);
    expect(await found).toMatchObject({ requestId: charge.requestId });
    stream.end();
  });

  it('that another replica commits is found while waiting', async () => {
    const own = await owner();
    const charge = buildCharge(own);
    const found = getCharge(own.accountId, { $case: 'traceId', value: charge.traceId }, 2_000);
    await settle(ledger.pool, charge);
    expect(await found).toMatchObject({ requestId: charge.requestId });
  });

  it('that is never posted is not found after the wait', async () => {
    const started = performance.now();
    const by = { $case: 'requestId', value: newId() } as const;
    await expect(getCharge(newId(), by, 300)).rejects.toMatchObject({ code: status.NOT_FOUND });
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
  });

  it.each([
    ['request_id', { $case: 'requestId', value: 'x' } as const, 0],
    ['trace_id', { $case: 'traceId', value: newId() } as const, 0],
    ['request_id or trace_id', undefined, 0],
    ['wait_ms', { $case: 'requestId', value: newId() } as const, 2_001],
  ])('is refused to a lookup with an unusable %s', async (name, by, waitMs) => {
    await expect(getCharge(newId(), by, waitMs)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${name}: `)),
    });
  });
});

describe('list of charges', () => {
  it('is newest first and stable under inserts, across months and equal times', async () => {
    const own = await owner();
    const now = Date.now();
    const times = [now, now, now - 1, now - DAY_MS, now - 20 * DAY_MS, now - 25 * DAY_MS, now - 25 * DAY_MS];
    const charges = times.map((time) => chargeAt(time, own));
    await settle(ledger.pool, ...charges);
    const expected = charges
      .toSorted((a, b) => Number(b.startedAtMs - a.startedAtMs) || (a.requestId < b.requestId ? 1 : -1))
      .map((charge) => charge.requestId);
    const listed: string[] = [];
    let cursor = '';
    do {
      const page = await listCharges({ accountId: own.accountId, limit: 2, cursor });
      listed.push(...page.charges.map((charge) => charge.requestId));
      cursor = page.nextCursor;
      if (cursor !== '') await settle(ledger.pool, chargeAt(Date.now(), own));
    } while (cursor !== '');
    expect(listed).toEqual(expected);
  });

  it('continues after any request id, and after a cursor of an earlier version', async () => {
    const own = await owner();
    const now = Date.now();
    const [newest, middle, oldest] = [chargeAt(now, own), chargeAt(now - 10, own), chargeAt(now - 20, own)];
    await settle(ledger.pool, newest, middle, oldest);
    const listedAfter = async (cursor: string) =>
      (await listCharges({ accountId: own.accountId, cursor })).charges.map((charge) => charge.requestId);
    expect(await listedAfter(middle.requestId)).toEqual([oldest.requestId]);
    expect(await listedAfter(idFloor(now - 15).toUpperCase())).toEqual([oldest.requestId]);
    const earlier = Buffer.from(`${middle.startedAtMs}.${middle.requestId}`).toString('base64url');
    expect(await listedAfter(earlier)).toEqual([oldest.requestId]);
  });

  it('respects its range, start inclusive and end exclusive, and its filters', async () => {
    const own = await owner();
    const start = Date.now() - HOUR_MS;
    const keyId = newId();
    const inside = [
      chargeAt(start, { ...own, model: 'a' }),
      chargeAt(start + 1, { ...own, model: 'b', keyId }),
      chargeAt(start + 2, { ...own, model: 'b', status: ChargeStatus.FAILED }),
    ];
    await settle(ledger.pool, chargeAt(start - 1, own), ...inside, chargeAt(start + 3, own));
    const listed = async (fields: Partial<ListChargesRequest>) => {
      const range = { startMs: BigInt(start), endMs: BigInt(start + 3) };
      const page = await listCharges({ accountId: own.accountId, ...range, ...fields });
      return page.charges.map((charge) => inside.findIndex(({ requestId }) => requestId === charge.requestId));
    };
    expect(await listed({})).toEqual([2, 1, 0]);
    expect(await listed({ model: 'b' })).toEqual([2, 1]);
    expect(await listed({ keyId })).toEqual([1]);
    expect(await listed({ status: ChargeStatus.FAILED })).toEqual([2]);
    expect(await listed({ model: 'a', keyId })).toEqual([]);
  });

  it('returns shorter pages if tags are long, and the rest on the next ones', async () => {
    const own = await owner();
    const tags = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`${index}`, '漢'.repeat(1_000)]));
    const charges = Array.from({ length: 200 }, () => buildCharge({ ...own, tags }));
    await settle(ledger.pool, ...charges);
    const pages: number[] = [];
    const listed = new Set<string>();
    let cursor = '';
    do {
      const page = await listCharges({ accountId: own.accountId, limit: 150, cursor });
      pages.push(page.charges.length);
      for (const charge of page.charges) listed.add(charge.requestId);
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(pages).toEqual([93, 93, 14]);
    expect(listed.size).toBe(200);
  });

  it.each([
    ['limit', { limit: 0 }],
    ['limit', { limit: 1_001 }],
    ['end_ms', { startMs: 5n, endMs: 5n }],
    ['start_ms', { startMs: -1n }],
    ['cursor', { cursor: '!' }],
    ['key_id', { keyId: 'k' }],
    ['account_id', { accountId: 'a' }],
  ])('with an unusable %s is refused', async (name, fields) => {
    await expect(listCharges({ accountId: newId(), ...fields })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${name}: `)),
    });
  });
});

describe('usage', () => {
  it('sums per hour, day and month, by model and key', async () => {
    const own = await owner();
    const hour = Math.floor((Date.now() - 2 * DAY_MS) / HOUR_MS) * HOUR_MS;
    const day = Math.floor(hour / DAY_MS) * DAY_MS;
    const month = Date.UTC(new Date(day).getUTCFullYear(), new Date(day).getUTCMonth(), 1);
    const keyId = newId();
    await settle(
      ledger.pool,
      chargeAt(hour, { ...own, model: 'a' }, 10n),
      chargeAt(hour + HOUR_MS - 1, { ...own, model: 'b', keyId }, 20n),
      chargeAt(hour + HOUR_MS - 1, { ...own, model: 'b', holdNanos: 25n }, 30n),
    );
    const none = { model: '', keyId: '', projectId: '', ownerId: '' };
    const all = { requests: 3n, costNanos: 55n, usage: [{ bucket: 'output', quantity: 60n }], ...none };
    const account = own.accountId;
    expect((await getUsage({ accountId: account })).rows).toEqual([{ startMs: BigInt(hour), ...all }]);
    expect((await getUsage({ accountId: account, interval: UsageInterval.DAY })).rows).toEqual([
      { startMs: BigInt(day), ...all },
    ]);
    expect((await getUsage({ accountId: account, interval: UsageInterval.MONTH })).rows).toEqual([
      { startMs: BigInt(month), ...all },
    ]);
    const byModel = await getUsage({ accountId: account, groupByModel: true });
    expect(byModel.rows.map((row) => [row.model, row.requests, row.costNanos])).toEqual([
      ['a', 1n, 10n],
      ['b', 2n, 45n],
    ]);
    const byKey = await getUsage({ accountId: account, interval: UsageInterval.MONTH, groupByKey: true });
    expect(byKey.rows.find((row) => row.keyId === keyId)).toMatchObject({ requests: 1n, costNanos: 20n, model: '' });
    const byBoth = await getUsage({ accountId: account, groupByModel: true, groupByKey: true });
    expect(byBoth.rows).toHaveLength(3);
  });

  it('is limited to its range, whose first hour is included entirely', async () => {
    const own = await owner();
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
    await settle(ledger.pool, ...[0, 1, 2].map((step) => chargeAt(hour + step * HOUR_MS, own)));
    const range = { startMs: BigInt(hour + HOUR_MS + 1_000), endMs: BigInt(hour + 2 * HOUR_MS) };
    const { rows } = await getUsage({ accountId: own.accountId, ...range });
    expect(rows.map((row) => row.startMs)).toEqual([BigInt(hour + HOUR_MS)]);
  });

  it('is one row per group for the whole range if totals are requested', async () => {
    const own = await owner();
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 50 * HOUR_MS;
    const times = [hour - 1, hour, hour + 26 * HOUR_MS, hour + 27 * HOUR_MS];
    await settle(ledger.pool, ...times.map((time, index) => chargeAt(time, own, BigInt(10 ** index))));
    const range = { startMs: BigInt(hour + 5), endMs: BigInt(hour + 27 * HOUR_MS) };
    const request = { accountId: own.accountId, ...range, groupByModel: true, totals: true };
    const { rows } = await getUsage(request);
    expect(rows).toMatchObject([{ startMs: BigInt(hour), requests: 2n, costNanos: 110n }]);
    const [days] = (await getUsage({ ...request, interval: UsageInterval.MONTH })).rows;
    expect(days?.startMs).toBe(BigInt(hour - (hour % DAY_MS)));
  });

  it('needs an interval', async () => {
    const asked = getUsage({ accountId: newId(), interval: UsageInterval.UNSPECIFIED });
    await expect(asked).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });
});
