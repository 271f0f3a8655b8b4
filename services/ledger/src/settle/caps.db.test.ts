import type { CapPeriodLabel } from '@tollgate/common/cap-periods';
import { idFloor, newId } from '@tollgate/common/ids';
import { CapPeriod, SettleOutcome } from '@tollgate/proto/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { type LeasedKey, leasedKey, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { DAY_MS, monthStart } from '../store/time.ts';

const { POSTED, LOSS, DUPLICATE } = SettleOutcome;
const { DAY, WEEK, MONTH, TOTAL } = CapPeriod;
const ALL = [DAY, WEEK, MONTH, TOTAL];

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const leased = () => leasedKey(ledger.pool, 1_000n);

const today = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;

/** Makes a cap of 10,000 with nothing spent, of which sessions have the parts given. */
async function capped(
  { accountId, keyId }: LeasedKey,
  period: CapPeriodLabel,
  startMs: number,
  parts: Readonly<Record<string, bigint>> = {},
): Promise<void> {
  const leasedNanos = Object.values(parts).reduce((sum, part) => sum + part, 0n);
  const key = [accountId, keyId, period, startMs];
  await ledger.pool.query(
    `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, leased)
     VALUES ($1, $2, $3, $4, 10000, 1, $5)`,
    [...key, leasedNanos],
  );
  for (const [sessionId, part] of Object.entries(parts)) {
    await ledger.pool.query(
      `INSERT INTO ledger.ceiling_leases (account_id, node_id, period, period_start_ms, session_id, granted)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [...key, sessionId, part],
    );
  }
}

/** What is spent and leased of a key's caps, by period and start. */
async function capsOf({ accountId, keyId }: LeasedKey) {
  const { rows } = await ledger.pool.query(
    `SELECT period, period_start_ms AS start, spent, leased FROM ledger.ceilings WHERE account_id = $1 AND node_id = $2
     ORDER BY period, period_start_ms`,
    [accountId, keyId],
  );
  return rows;
}

async function spentOf(owner: LeasedKey, sessionId: string): Promise<bigint[]> {
  const { rows } = await ledger.pool.query<{ spent: bigint }>(
    'SELECT spent FROM ledger.ceiling_leases WHERE account_id = $1 AND node_id = $2 AND session_id = $3 ORDER BY period',
    [owner.accountId, owner.keyId, sessionId],
  );
  return rows.map((row) => row.spent);
}

describe('the caps of a key', () => {
  it('count what is charged in each of their periods, once', async () => {
    const owner = await leased();
    const start = today();
    await capped(owner, 'day', start, { [owner.sessionId]: 500n });
    await capped(owner, 'month', monthStart(start), { [owner.sessionId]: 300n });
    await capped(owner, 'total', 0, { [owner.sessionId]: 70n });
    const charges = [buildCharge({ ...owner, caps: ALL }, 40n), buildCharge({ ...owner, caps: ALL }, 20n)];
    expect(await settle(ledger.pool, ...charges)).toEqual([POSTED, POSTED]);
    expect(await settle(ledger.pool, ...charges)).toEqual([DUPLICATE, DUPLICATE]);
    expect(await capsOf(owner)).toEqual([
      { period: 'day', start: BigInt(start), spent: 60n, leased: 440n },
      { period: 'month', start: BigInt(monthStart(start)), spent: 60n, leased: 240n },
      { period: 'total', start: 0n, spent: 60n, leased: 10n },
    ]);
    expect(await spentOf(owner, owner.sessionId)).toEqual([60n, 60n, 60n]);
  });

  it('count charges of requests that were held before there was a cap, which take nothing of a session’s part', async () => {
    const owner = await leased();
    await capped(owner, 'total', 0, { [owner.sessionId]: 100n });
    const charges = [buildCharge(owner, 30n), buildCharge({ ...owner, caps: [DAY, TOTAL] }, 50n)];
    expect(await settle(ledger.pool, ...charges)).toEqual([POSTED, POSTED]);
    expect(await capsOf(owner)).toEqual([{ period: 'total', start: 0n, spent: 80n, leased: 50n }]);
  });

  it('take from the part of the session that held, and no more than it covers', async () => {
    const owner = await leased();
    const other = newId();
    await capped(owner, 'total', 0, { [owner.sessionId]: 25n, [other]: 100n });
    const charge = { ...owner, caps: [TOTAL] };
    const outcomes = await settle(
      ledger.pool,
      buildCharge(charge, 20n),
      buildCharge(charge, 20n),
      buildCharge({ ...charge, sessionId: newId() }, 7n),
    );
    expect(outcomes).toEqual([POSTED, POSTED, LOSS]);
    expect(await capsOf(owner)).toEqual([{ period: 'total', start: 0n, spent: 40n, leased: 100n }]);
    expect(await spentOf(owner, owner.sessionId)).toEqual([25n]);
    expect(await spentOf(owner, other)).toEqual([0n]);
  });

  it('count what the customer pays, not what the operator bears', async () => {
    const owner = await leased();
    await capped(owner, 'total', 0, { [owner.sessionId]: 100n });
    await settle(ledger.pool, buildCharge({ ...owner, caps: [TOTAL], holdNanos: 15n }, 40n));
    expect(await capsOf(owner)).toEqual([{ period: 'total', start: 0n, spent: 15n, leased: 85n }]);
  });

  it('are those of the key and of the day and month that the request started in', async () => {
    const owner = await leased();
    const sibling = { ...owner, keyId: newId() };
    const start = today();
    const yesterday = start - DAY_MS;
    const charge = (startedAtMs: number, cost: bigint) =>
      buildCharge(
        {
          ...owner,
          caps: ALL,
          requestId: `${idFloor(startedAtMs).slice(0, 13)}-7000-8000-${newId().slice(24)}`,
          startedAtMs: BigInt(startedAtMs),
        },
        cost,
      );
    await capped(owner, 'day', yesterday, { [owner.sessionId]: 100n });
    await capped(owner, 'day', start, { [owner.sessionId]: 100n });
    await capped(owner, 'month', monthStart(yesterday));
    await capped(sibling, 'day', start, { [owner.sessionId]: 100n });
    const outcomes = await settle(ledger.pool, charge(start - 1, 3n), charge(start, 5n));
    expect(outcomes).toEqual([POSTED, POSTED]);
    const inMonth = monthStart(yesterday) === monthStart(start) ? 8n : 3n;
    expect(await capsOf(owner)).toEqual([
      { period: 'day', start: BigInt(yesterday), spent: 3n, leased: 97n },
      { period: 'day', start: BigInt(start), spent: 5n, leased: 95n },
      { period: 'month', start: BigInt(monthStart(yesterday)), spent: inMonth, leased: 0n },
    ]);
    expect(await capsOf(sibling)).toEqual([{ period: 'day', start: BigInt(start), spent: 0n, leased: 100n }]);
  });
});
