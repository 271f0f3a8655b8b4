import { status } from '@grpc/grpc-js';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { idFloor, newId } from '@tollgate/common/ids';
import { lineAmount } from '@tollgate/common/money';
import { actorWith, tokenFor } from '@tollgate/common/testing/actors';
import { type Charge, type ChargeSum, LedgerServiceClient, SumChargesRequest } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { sumCharges } from '../store/sum-charges.ts';
import { DAY_MS, type TimeRange } from '../store/time.ts';

const FUNDS = 1_000_000_000n;

let ledger: ServedLedger;
let own: { accountId: string; sessionId: string };
/** The start of a day in the past. */
const DAY = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS;

beforeAll(async () => {
  ledger = await serveLedger();
  own = await funded();
});
afterAll(() => ledger.drop());

async function funded(): Promise<{ accountId: string; sessionId: string }> {
  const accountId = await fundedAccount(ledger.pool, FUNDS);
  return { accountId, sessionId: await leasingSession(ledger.pool, accountId, FUNDS / 2n) };
}

/** A charge with these lines, of a request that started then. */
function chargeOf(
  startedAtMs: number,
  lines: readonly [bucket: string, quantity: bigint, rate: bigint][],
  fields: Partial<Charge> & { accountId: string; sessionId: string },
): Charge {
  const built = lines.map(([bucket, quantity, rateNanosPerMillion]) => ({
    bucket,
    quantity,
    rateNanosPerMillion,
    amountNanos: lineAmount(quantity, rateNanosPerMillion, fields.discountPpm),
  }));
  const costNanos = built.reduce((sum, { amountNanos }) => sum + amountNanos, 0n);
  const requestId = `${idFloor(startedAtMs).slice(0, 13)}-7${newId().slice(15)}`;
  return buildCharge({ requestId, startedAtMs: BigInt(startedAtMs), lines: built, costNanos, ...fields }, costNanos);
}

async function call(fields: Partial<SumChargesRequest> = {}) {
  const { client } = ledger;
  const day = { accountId: own.accountId, startMs: BigInt(DAY), endMs: BigInt(DAY + DAY_MS) };
  return unaryCall(client.sumCharges.bind(client), SumChargesRequest.fromPartial({ ...day, ...fields }), {
    deadlineMs: 20_000,
  });
}

/** All pages of a range. */
async function pagesOf(range: TimeRange, limit: number): Promise<ChargeSum[][]> {
  const pages: ChargeSum[][] = [];
  let after: string | undefined;
  do {
    const { sums, next } = await sumCharges(ledger.pool, {
      ...{ accountId: own.accountId, range, after, limit },
      withListRates: true,
    });
    pages.push(sums);
    after = next;
  } while (after !== undefined);
  return pages;
}

const chargedOf = (sums: readonly ChargeSum[]) => sums.reduce((sum, { chargedNanos }) => sum + chargedNanos, 0n);

describe('sums of charges', () => {
  const tags = { team: 'search' };
  /** Two that agree in all, and one that differs in each field that tells sums apart. */
  const different: readonly Partial<Charge>[] = [
    {},
    {},
    { keyId: newId() },
    { keyName: 'renamed' },
    { model: 'other' },
    { provider: 'other' },
    { priceVersion: 'v2' },
    { discountPpm: 100_000 },
    { tags },
  ];

  beforeAll(async () => {
    const charges = different.map((fields, index) =>
      chargeOf(
        DAY + index * 1_000,
        [
          ['input', 7n, 1_500_000n],
          ['output', 3n, 2_500_000n],
        ],
        { ...own, ...fields },
      ),
    );
    // The ids of requests may be up to ten seconds from their start: those of other days are not this day's.
    const skewed = chargeOf(DAY - 9_000, [['input', 1_000n, 1_000_000n]], own);
    const before = chargeOf(DAY + 1_000, [['input', 5_000n, 1_000_000n]], own);
    await settle(
      ledger.pool,
      ...charges,
      { ...skewed, startedAtMs: BigInt(DAY) },
      { ...before, startedAtMs: BigInt(DAY - 1) },
      chargeOf(DAY + DAY_MS, [['input', 9_000n, 1_000_000n]], own),
    );
  });

  it('tell apart what decides the price and the key, and add up bucket by bucket', async () => {
    const { sums, nextCursor } = await call();
    expect(nextCursor).toBe('');
    // The skewed one agrees with the first two, but in its rate.
    expect(sums).toHaveLength(different.length - 1);
    const same = sums.find(
      ({ keyName, model, provider, priceVersion, discountPpm, ...sum }) =>
        keyName === 'test key' &&
        model === 'gpt-4o-mini' &&
        provider === 'openai' &&
        priceVersion === 'v1' &&
        discountPpm === 0 &&
        sum.keyId.startsWith('0190') &&
        Object.keys(sum.tags).length === 0,
    );
    expect(same?.chargedNanos).toBe(2n * (10n + 8n) + 1_000n);
    expect(same?.lines.toSorted((a, b) => Number(a.quantity - b.quantity))).toEqual([
      { bucket: 'output', quantity: 6n, rateNanosPerMillion: 2_500_000n, amountNanos: 16n },
      { bucket: 'input', quantity: 14n, rateNanosPerMillion: 1_500_000n, amountNanos: 20n },
      { bucket: 'input', quantity: 1_000n, rateNanosPerMillion: 1_000_000n, amountNanos: 1_000n },
    ]);
    expect(sums.find((sum) => sum.tags['team'] === 'search')).toMatchObject({ tags, chargedNanos: 18n });
    expect(sums.find((sum) => sum.discountPpm > 0)).toMatchObject({ chargedNanos: 9n + 7n });
  });

  it.each([1, 2, 3, 2_000])('are those of the roll-up, %i charges at a time', async (limit) => {
    const pages = await pagesOf({ startMs: DAY, endMs: DAY + DAY_MS }, limit);
    const { rows } = await ledger.pool.query<{ charged: bigint }>(
      'SELECT sum(charged_nanos)::bigint AS charged FROM ledger.usage_daily WHERE account_id = $1 AND start_ms = $2',
      [own.accountId, DAY],
    );
    expect(chargedOf(pages.flat())).toBe(rows[0]?.charged);
  });

  it('have what the customer paid, which the lines may exceed', async () => {
    const charge = chargeOf(DAY + 1, [['output', 50n, 1_000_000n]], await funded());
    await settle(ledger.pool, { ...charge, holdNanos: 30n });
    const { sums } = await call({ accountId: charge.accountId });
    expect(sums).toMatchObject([{ chargedNanos: 30n, lines: [{ bucket: 'output', amountNanos: 50n }] }]);
  });

  it('tell list rates beside prices of an own apart for operators, and for nobody else', async () => {
    const { accountId, sessionId } = await funded();
    const charges = [2_000_000n, 3_000_000n].map((listRateNanosPerMillion) => {
      const charge = chargeOf(DAY + 1, [['input', 5n, 4_000_000n]], { accountId, sessionId });
      const lines = charge.lines.map((line) => ({ ...line, listRateNanosPerMillion }));
      return { ...charge, lines, baseCostNanos: (5n * listRateNanosPerMillion) / 1_000_000n };
    });
    await settle(ledger.pool, ...charges);
    const line = { bucket: 'input', quantity: 5n, rateNanosPerMillion: 4_000_000n, amountNanos: 20n };
    const { sums } = await call({ accountId });
    expect(
      sums[0]?.lines.toSorted((a, b) => Number(a.listRateNanosPerMillion) - Number(b.listRateNanosPerMillion)),
    ).toEqual([
      { ...line, listRateNanosPerMillion: 2_000_000n },
      { ...line, listRateNanosPerMillion: 3_000_000n },
    ]);
    const request = SumChargesRequest.fromPartial({ accountId, startMs: BigInt(DAY), endMs: BigInt(DAY + DAY_MS) });
    const actorToken = await tokenFor(actorWith({ role: 'owner', accountId, via: 'console' }));
    const plain = createGrpcClient(LedgerServiceClient, `127.0.0.1:${ledger.server.port}`);
    const theirs = await unaryCall(plain.sumCharges.bind(plain), request, { deadlineMs: 20_000, actorToken });
    plain.close();
    expect(theirs.sums.map(({ lines }) => lines)).toEqual([[{ ...line, quantity: 10n, amountNanos: 40n }]]);
  });

  it('of charges with long tags fill several messages', async () => {
    const long = await funded();
    const charges = Array.from({ length: 150 }, (_, index) => {
      const each = Array.from({ length: 16 }, (_, tag) => [`${index} ${tag}`, 'x'.repeat(990)]);
      return chargeOf(DAY + index, [['output', 1n, 1_000_000n]], { ...long, tags: Object.fromEntries(each) });
    });
    await settle(ledger.pool, ...charges);
    const found: ChargeSum[] = [];
    let pages = 0;
    let cursor = '';
    do {
      const page = await call({ accountId: long.accountId, cursor });
      found.push(...page.sums);
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== '');
    expect(pages).toBeGreaterThan(1);
    expect(found).toHaveLength(150);
    expect(chargedOf(found)).toBe(150n);
  });
});

describe('sums are refused', () => {
  afterEach(() => ledger.pool.query('UPDATE ledger.reconciliation_pass SET archived_until_ms = 0'));

  it('of days that are archived', async () => {
    await ledger.pool.query('UPDATE ledger.reconciliation_pass SET archived_until_ms = $1', [DAY + DAY_MS]);
    const from = new Date(DAY + DAY_MS).toISOString().slice(0, 10);
    await expect(call()).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: `start_ms: charges before ${from} are archived`,
    });
    const range = { startMs: BigInt(DAY + DAY_MS), endMs: BigInt(DAY + 2 * DAY_MS) };
    expect((await call(range)).sums).toHaveLength(1);
  });

  it.each([
    ['account_id', { accountId: 'x' }],
    ['end_ms', { endMs: BigInt(DAY) }],
    ['cursor', { cursor: 'x' }],
  ])('with an unusable %s', async (name, fields) => {
    await expect(call(fields)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringMatching(new RegExp(`^${name}: `)),
    });
  });
});
