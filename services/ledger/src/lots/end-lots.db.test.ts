import { BALANCE } from '@tollgate/common/cap-periods';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { DepositKind, type DepositRequest, LotKind } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { LeaseCall } from '../../testing/lease-call.ts';
import { settle } from '../../testing/ledger-calls.ts';
import { silent } from '../../testing/ledger-fixture.ts';
import { type ServedLedger, serveLedger } from '../../testing/serve-ledger.ts';
import { listEvents } from '../store/events.ts';
import { readLots } from '../store/lots.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import { endLots } from './end-lots.ts';

let ledger: ServedLedger;
let accountId: string;
let sessionId: string;
let ingress: LeaseCall;
beforeAll(async () => {
  // Long: every recall gets its responses, also on a slow machine.
  ledger = await serveLedger({}, { recallWaitMs: 20_000 });
});
afterAll(() => ledger.drop());
beforeEach(async () => {
  accountId = newId();
  sessionId = newId();
  ingress = await LeaseCall.opened(ledger.client, sessionId);
});
afterEach(async () => {
  ingress.end();
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const NEVER = new AbortController().signal;

function end(): Promise<void> {
  const { pool, dependencies } = ledger;
  return endLots({ pool, recalls: dependencies.recalls, sessionTtlMs: 15_000, logger: silent }, NEVER);
}

/** Credits the account; the lot ends after `endsInMs`. */
function credit(amountNanos: bigint, endsInMs?: number, fields: Partial<DepositRequest> = {}) {
  const request = {
    accountId,
    kind: DepositKind.ADJUSTMENT,
    amountNanos,
    idempotencyKey: newId(),
    reason: 'promotion',
    ...(endsInMs === undefined ? {} : { endsAtMs: BigInt(Date.now() + endsInMs) }),
    ...fields,
  };
  return unaryCall(ledger.client.deposit.bind(ledger.client), request, { deadlineMs: 5_000 });
}

/** Lets time pass for the lots of the account. */
async function pass(ms: number): Promise<void> {
  await ledger.pool.query(
    `UPDATE ledger.lots SET ends_at_ms = ends_at_ms - $2, due_at_ms = due_at_ms - $2 WHERE account_id = $1`,
    [accountId, ms],
  );
}

async function figures() {
  const { rows } = await ledger.pool.query(
    'SELECT available, leased, breakage, -receivable AS owed FROM ledger.balances WHERE account_id = $1',
    [accountId],
  );
  const { lots } = await readLots(ledger.pool, accountId);
  return { ...rows[0], left: lots.map(({ remaining }) => remaining).filter((remaining) => remaining > 0n) };
}

async function events(): Promise<[string, Record<string, string>][]> {
  const listed = await listEvents(ledger.pool, accountId, undefined, 50);
  return listed.reverse().map(({ type, dataJson }) => [type, JSON.parse(dataJson)]);
}

describe('the end of a lot', () => {
  it('moves what is left of it to breakage, and tells so', async () => {
    await credit(100n, HOUR_MS);
    await credit(50n);
    const { deposit } = await credit(30n, 2 * HOUR_MS, { kind: DepositKind.DEPOSIT, lotKind: LotKind.CONTRACTUAL });
    await end();
    expect(await figures()).toMatchObject({ available: 180n, breakage: 0n });
    await pass(90 * 60_000);
    await end();
    await end();
    expect(await figures()).toEqual({ available: 80n, leased: 0n, breakage: 100n, owed: 0n, left: [30n, 50n] });
    await pass(90 * 60_000);
    await end();
    expect(await figures()).toMatchObject({ available: 50n, breakage: 130n, left: [50n] });
    expect(await events()).toMatchObject([
      ['credit.expired', { amount: '0.0000001', kind: 'granted', account_id: accountId, currency: 'USD' }],
      ['credit.expired', { amount: '0.00000003', kind: 'contractual', lot_id: deposit?.depositId }],
    ]);
  });

  it('takes idle credit back first, and never what open requests hold', async () => {
    await credit(100n, HOUR_MS);
    await credit(100n);
    await ingress.acquire(accountId, 150n);
    await pass(2 * HOUR_MS);
    const ended = end();
    expect(await ingress.recalled()).toEqual({ accountId, ceiling: BALANCE, suspended: false });
    // 60 are held: all of the lot that ended is claimed by them, as far as they go.
    const { leased } = await figures();
    await ingress.giveBack(accountId, leased - 60n);
    await ended;
    expect(await figures()).toEqual({ available: 100n, leased: 60n, breakage: 40n, owed: 0n, left: [60n, 100n] });

    // A request is charged 25 of its 40; another one holds 20.
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 25n));
    await ingress.giveBack(accountId, leased - 60n + 15n);
    await pass(10_000);
    await end();
    expect(await figures()).toEqual({ available: 100n, leased: 20n, breakage: 55n, owed: 0n, left: [20n, 100n] });

    // The last request is charged nothing.
    await ingress.giveBack(accountId, leased - 60n + 35n);
    await pass(10_000);
    await end();
    expect(await figures()).toEqual({ available: 100n, leased: 0n, breakage: 75n, owed: 0n, left: [100n] });
    expect((await events()).map(([type, { amount }]) => [type, amount])).toEqual([
      ['credit.expired', '0.00000004'],
      ['credit.expired', '0.000000075'],
    ]);
  });

  it('leaves nothing to open requests that other lots pay for', async () => {
    await credit(100n, HOUR_MS, { priority: 60 });
    await credit(100n);
    await ingress.acquire(accountId, 1n);
    await pass(2 * HOUR_MS);
    const ended = end();
    await ingress.recalled();
    await ingress.giveBack(accountId, 0n);
    await ended;
    expect(await figures()).toMatchObject({ breakage: 100n, left: [100n] });
  });

  it('comes after a debt, which takes what there is', async () => {
    await credit(100n, HOUR_MS);
    await ingress.acquire(accountId, 100n);
    const taken = credit(-30n);
    for (let round = 0; round < 2; round++) {
      await ingress.recalled();
      await ingress.giveBack(accountId, 0n);
    }
    expect((await taken).balance).toMatchObject({ receivableNanos: 30n });
    await pass(2 * HOUR_MS);
    const ended = end();
    await ingress.recalled();
    await ingress.giveBack(accountId, 100n);
    await ended;
    expect(await figures()).toEqual({ available: 0n, leased: 0n, breakage: 70n, owed: 0n, left: [] });
    expect((await events()).map(([type]) => type)).toEqual([
      'account.suspended',
      'credit.expired',
      'account.unsuspended',
    ]);
  });

  it('is made once by many replicas at once, of many accounts', async () => {
    const accounts: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      accountId = newId();
      accounts.push(accountId);
      await credit(10n, HOUR_MS);
      await pass(2 * HOUR_MS);
    }
    await Promise.all([end(), end(), end()]);
    for (accountId of accounts) {
      expect(await figures()).toMatchObject({ available: 0n, breakage: 10n });
      expect(await events()).toHaveLength(1);
    }
  });
});

describe('notice of an end', () => {
  it('is given seven days and one day before, once each', async () => {
    await credit(100n, 30 * DAY_MS);
    await end();
    expect(await events()).toEqual([]);
    for (const [ms, count] of [
      [23.5 * DAY_MS, 1],
      [DAY_MS, 1],
      [5 * DAY_MS, 2],
      [0.2 * DAY_MS, 2],
      [DAY_MS, 3],
    ] as const) {
      await pass(ms);
      await end();
      await end();
      expect(await events()).toHaveLength(count);
    }
    expect((await events()).map(([type, { amount }]) => [type, amount])).toEqual([
      ['credit.expiring', '0.0000001'],
      ['credit.expiring', '0.0000001'],
      ['credit.expired', '0.0000001'],
    ]);
  });

  it('is not given of a lot that is spent', async () => {
    await credit(100n, 30 * DAY_MS);
    await ingress.acquire(accountId, 100n);
    await settle(ledger.pool, buildCharge({ accountId, sessionId }, 100n));
    await pass(24 * DAY_MS);
    await end();
    await pass(7 * DAY_MS);
    await end();
    expect(await events()).toEqual([]);
  });
});

describe('the lot of a deposit', () => {
  it.each([
    [{ endsAtMs: 1n }, 'ends_at_ms: must be in the future'],
    [{ endsAtMs: BigInt(Date.now() + 4_000 * DAY_MS) }, 'ends_at_ms: must be at most ten years ahead'],
    [{ priority: 101 }, 'priority: must be from 0 to 100'],
    [
      { kind: DepositKind.REFUND, priority: 1 },
      'lot_kind, ends_at_ms, priority: are of a positive deposit or adjustment',
    ],
    [
      { amountNanos: -5n, lotKind: LotKind.PAID },
      'lot_kind, ends_at_ms, priority: are of a positive deposit or adjustment',
    ],
  ])('is refused with %o', async (fields, details) => {
    await expect(credit(5n, undefined, fields)).rejects.toMatchObject({ details });
  });

  it('is of its input: another end is another deposit', async () => {
    const fields = { idempotencyKey: 'promotion', endsAtMs: BigInt(Date.now() + HOUR_MS) };
    const { deposit } = await credit(5n, undefined, fields);
    await pass(2 * HOUR_MS);
    expect(await credit(5n, undefined, fields)).toMatchObject({ repeated: true, deposit });
    await expect(credit(5n, undefined, { ...fields, priority: 1 })).rejects.toThrow('was used with different input');
  });
});
