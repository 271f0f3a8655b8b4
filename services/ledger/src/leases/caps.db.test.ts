import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel } from '@tollgate/common/cap-periods';
import { idFloor, newId } from '@tollgate/common/ids';
import { minBigInt } from '@tollgate/common/money';
import { SettleOutcome } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import type { FlatState } from '../../testing/lease-call.ts';
import {
  acquireCap,
  type CapDemand,
  fundedAccount,
  giveBack,
  leasingSession,
  openedSession,
  settle,
} from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { removeOldCaps } from '../jobs/retention.ts';
import type { Cap } from '../store/ceilings.ts';
import { DAY_MS, monthStart } from '../store/time.ts';
import { closeSession } from './end-session.ts';

const { POSTED, LOSS } = SettleOutcome;
const ALL = CAP_PERIODS.map((period) => CAP_PERIOD_OF_LABEL[period]);

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

const today = () => Date.now() - (Date.now() % DAY_MS);

interface Owner {
  accountId: string;
  sessionId: string;
  keyId: string;
}

async function owner(): Promise<Owner> {
  const accountId = await fundedAccount(ledger.pool, 1_000_000n);
  return { accountId, sessionId: await leasingSession(ledger.pool, accountId, 100_000n), keyId: newId() };
}

function capFor({ accountId, keyId }: Owner, period: CapPeriodLabel = 'total', startMs = 0): Cap {
  return { accountId, nodeId: keyId, period, startMs };
}

function demandOf(grantedTotalNeeded: bigint, fields: Partial<CapDemand> = {}): CapDemand {
  return { sequence: 1n, grantedTotalNeeded, limitNanos: 100n, revision: 1n, ...fields };
}

const acquire = (sessionId: string, cap: Cap, demand: CapDemand) => acquireCap(ledger.pool, sessionId, cap, demand);
const returned = (sessionId: string, cap: Cap, total: bigint) =>
  giveBack(ledger.pool, sessionId, { accountId: cap.accountId, cap }, total);

/** A charge of a request that started then. */
function chargeAt(startedAtMs: number, { accountId, sessionId, keyId }: Owner, cost: bigint) {
  const requestId = `${idFloor(startedAtMs).slice(0, 13)}-7000-8000-${newId().slice(24)}`;
  return buildCharge({ accountId, sessionId, keyId, caps: ALL, requestId, startedAtMs: BigInt(startedAtMs) }, cost);
}

describe('a part of a cap', () => {
  it('is lent up to the limit over all sessions, all or nothing, and exactly near the end', async () => {
    const first = await owner();
    const second = await openedSession(ledger.pool);
    const cap = capFor(first);
    expect(await acquire(first.sessionId, cap, demandOf(60n))).toMatchObject({
      grantedTotal: 60n,
      refused: false,
      limitNanos: 100n,
      leftNanos: 100n,
      availableNanos: 40n,
    });
    expect(await acquire(second, cap, demandOf(41n))).toMatchObject({ grantedTotal: 0n, refused: true });
    expect(await acquire(second, cap, demandOf(40n))).toMatchObject({ grantedTotal: 40n, availableNanos: 0n });
  });

  it('is larger than asked for while much is left', async () => {
    const { sessionId, ...rest } = await owner();
    const cap = capFor({ sessionId, ...rest });
    const { grantedTotal } = await acquire(sessionId, cap, demandOf(10n, { limitNanos: 1_000_000n }));
    expect(grantedTotal).toBeGreaterThan(10n);
    expect(grantedTotal).toBeLessThan(1_000n);
  });

  it('is lent once however often it is asked for, and nothing more to an ask that was overtaken', async () => {
    const mine = await owner();
    const cap = capFor(mine);
    const ask = demandOf(30n, { sequence: 5n });
    await acquire(mine.sessionId, cap, ask);
    expect(await acquire(mine.sessionId, cap, ask)).toMatchObject({ grantedTotal: 30n, refused: false });
    const late = demandOf(70n, { sequence: 4n });
    expect(await acquire(mine.sessionId, cap, late)).toMatchObject({ grantedTotal: 30n, refused: false });
  });

  it('is returned up to what is unspent, by a cumulative count', async () => {
    const mine = await owner();
    const cap = capFor(mine);
    await acquire(mine.sessionId, cap, demandOf(60n));
    expect(await settle(ledger.pool, chargeAt(Date.now(), mine, 25n))).toEqual([POSTED]);
    expect(await returned(mine.sessionId, cap, 20n)).toMatchObject({ returnedTotal: 20n, availableNanos: 60n });
    expect(await returned(mine.sessionId, cap, 20n)).toMatchObject({ returnedTotal: 20n });
    expect(await returned(mine.sessionId, cap, 90n)).toMatchObject({
      spentTotal: 25n,
      returnedTotal: 35n,
      leftNanos: 75n,
      availableNanos: 75n,
    });
  });

  it('is freed when its session ends, which may not be used after', async () => {
    const mine = await owner();
    const other = await openedSession(ledger.pool);
    const cap = capFor(mine);
    await acquire(mine.sessionId, cap, demandOf(60n));
    await acquire(other, cap, demandOf(20n));
    await closeSession(ledger.pool, mine.sessionId);
    await expect(acquire(mine.sessionId, cap, demandOf(1n))).rejects.toThrow('fenced');
    await expect(returned(mine.sessionId, cap, 1n)).rejects.toThrow('fenced');
    expect(await settle(ledger.pool, chargeAt(Date.now(), mine, 25n))).toEqual([LOSS]);
    expect(await returned(other, cap, 0n)).toMatchObject({ leftNanos: 100n, availableNanos: 80n });
    await closeSession(ledger.pool, other);
    const { rows } = await ledger.pool.query('SELECT FROM ledger.ceiling_leases WHERE account_id = $1', [
      mine.accountId,
    ]);
    expect(rows).toHaveLength(0);
  });

  it('is lent to an account that was never credited, whose balance is what refuses', async () => {
    const sessionId = await openedSession(ledger.pool);
    const cap = capFor({ accountId: newId(), sessionId, keyId: newId() });
    expect(await acquire(sessionId, cap, demandOf(10n))).toMatchObject({ grantedTotal: 10n, refused: false });
  });
});

describe('the limit', () => {
  it('is that of the latest revision of the key, from any session', async () => {
    const mine = await owner();
    const other = await openedSession(ledger.pool);
    const cap = capFor(mine);
    await acquire(mine.sessionId, cap, demandOf(60n, { revision: 3n }));
    const raised = await acquire(other, cap, demandOf(100n, { limitNanos: 200n, revision: 4n }));
    expect(raised).toMatchObject({ limitNanos: 200n, refused: false });
    const old = await acquire(mine.sessionId, cap, demandOf(80n, { sequence: 2n, revision: 3n }));
    expect(old).toMatchObject({ limitNanos: 200n, grantedTotal: 80n });
  });

  it('beneath what is spent and lent refuses all, until it is not beneath any more', async () => {
    const mine = await owner();
    const cap = capFor(mine);
    await acquire(mine.sessionId, cap, demandOf(80n));
    await settle(ledger.pool, chargeAt(Date.now(), mine, 20n));
    const lowered = { limitNanos: 50n, revision: 2n };
    expect(await acquire(mine.sessionId, cap, demandOf(80n, { sequence: 2n, ...lowered }))).toMatchObject({
      refused: true,
      leftNanos: 30n,
      availableNanos: 0n,
    });
    await returned(mine.sessionId, cap, 30n);
    expect(await acquire(mine.sessionId, cap, demandOf(80n, { sequence: 3n, ...lowered }))).toMatchObject({
      refused: false,
      grantedTotal: 80n,
    });
    expect(
      await acquire(mine.sessionId, cap, demandOf(80n, { sequence: 4n, limitNanos: 10n, revision: 3n })),
    ).toMatchObject({ refused: true, leftNanos: 0n });
  });
});

describe('what is spent of a cap', () => {
  it('begins with what the period has cost so far, also without a cap', async () => {
    const mine = await owner();
    const start = today();
    const charges = [chargeAt(start, mine, 7n), chargeAt(start - 1, mine, 11n)];
    expect(await settle(ledger.pool, ...charges)).toEqual([POSTED, POSTED]);
    const wide = { limitNanos: 1_000n };
    const day = await acquire(mine.sessionId, capFor(mine, 'day', start), demandOf(1n, wide));
    expect(day.leftNanos).toBe(993n);
    const before = await acquire(mine.sessionId, capFor(mine, 'day', start - DAY_MS), demandOf(1n, wide));
    expect(before.leftNanos).toBe(989n);
    const month = await acquire(mine.sessionId, capFor(mine, 'month', monthStart(start)), demandOf(1n, wide));
    expect(month.leftNanos).toBe(monthStart(start - 1) === monthStart(start) ? 982n : 993n);
    expect((await acquire(mine.sessionId, capFor(mine), demandOf(1n, wide))).leftNanos).toBe(982n);
    const sibling = capFor({ ...mine, keyId: newId() });
    expect((await acquire(mine.sessionId, sibling, demandOf(1n, wide))).leftNanos).toBe(1_000n);
  });

  it('counts for the day a request started in, whenever it ended', async () => {
    const mine = await owner();
    const midnight = today();
    const yesterday = capFor(mine, 'day', midnight - DAY_MS);
    const day = capFor(mine, 'day', midnight);
    await acquire(mine.sessionId, yesterday, demandOf(100n));
    expect(await acquire(mine.sessionId, day, demandOf(100n, { sequence: 2n }))).toMatchObject({ refused: false });
    await settle(ledger.pool, chargeAt(midnight - 1, mine, 100n), chargeAt(midnight, mine, 30n));
    expect(await returned(mine.sessionId, yesterday, 0n)).toMatchObject({ spentTotal: 100n, leftNanos: 0n });
    expect(await returned(mine.sessionId, day, 0n)).toMatchObject({ spentTotal: 30n, leftNanos: 70n });
    const other = await openedSession(ledger.pool);
    expect(await acquire(other, yesterday, demandOf(1n))).toMatchObject({ refused: true, leftNanos: 0n });
  });
});

describe('old caps', () => {
  it('are removed once no charge of their period can come, and begin right when asked for again', async () => {
    const mine = await owner();
    const now = Date.UTC(2031, 4, 20);
    const day = (ago: number) => capFor(mine, 'day', now - ago * DAY_MS);
    const month = (back: number) => capFor(mine, 'month', monthStart(now, -back));
    const caps = [day(0), day(31), day(33), day(40), month(0), month(1), month(3), capFor(mine)];
    for (const cap of caps) await acquire(mine.sessionId, cap, demandOf(10n));
    expect(await removeOldCaps(ledger.pool, now, 31 * DAY_MS)).toBeGreaterThanOrEqual(3);
    const { rows } = await ledger.pool.query<{ period: string; start: bigint }>(
      'SELECT period, period_start_ms AS start FROM ledger.ceilings WHERE account_id = $1 ORDER BY period, period_start_ms DESC',
      [mine.accountId],
    );
    expect(rows.map(({ period, start }) => [period, Number(start)])).toEqual([
      ['day', day(0).startMs],
      ['day', day(31).startMs],
      ['month', month(0).startMs],
      ['month', month(1).startMs],
      ['total', 0],
    ]);
    expect(await acquire(mine.sessionId, day(40), demandOf(10n))).toMatchObject({ grantedTotal: 10n, refused: false });
    expect(await removeOldCaps(ledger.pool, now, 31 * DAY_MS)).toBe(1);
    expect(await removeOldCaps(ledger.pool, now, 31 * DAY_MS)).toBe(0);
  });
});

function unspent({ grantedTotal, spentTotal, returnedTotal }: FlatState): bigint {
  return grantedTotal - spentTotal - returnedTotal;
}

describe('a cap under any history', () => {
  it('is never lent beyond the limit, whatever is asked, returned, settled, closed and repeated', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('acquire' as const), who: fc.nat(2), nanos: fc.bigInt(1n, 60n) }),
      fc.record({ kind: fc.constant('return' as const), who: fc.nat(2), nanos: fc.bigInt(0n, 120n) }),
      fc.record({ kind: fc.constant('charge' as const), who: fc.nat(2), nanos: fc.bigInt(1n, 40n) }),
      fc.record({ kind: fc.constant('close' as const), who: fc.nat(2), nanos: fc.constant(0n) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const mine = await owner();
        const cap = capFor(mine);
        const sessions = [mine.sessionId, await openedSession(ledger.pool), await openedSession(ledger.pool)];
        const remaining = new Map(sessions.map((id) => [id, 0n]));
        const fenced = new Set<string>();
        let sequence = 0n;
        for (const { kind, who, nanos } of steps) {
          const sessionId = sessions[who] ?? mine.sessionId;
          sequence += 1n;
          const closed = fenced.has(sessionId);
          if (kind === 'acquire' || kind === 'return') {
            const call =
              kind === 'acquire'
                ? acquire(sessionId, cap, demandOf(nanos, { sequence }))
                : returned(sessionId, cap, nanos);
            if (closed) await expect(call).rejects.toThrow('fenced');
            else remaining.set(sessionId, unspent(await call));
          } else if (kind === 'charge') {
            // Only a session's part of the cap may be held, and so charged, under it.
            const cost = minBigInt(nanos, remaining.get(sessionId) ?? 0n);
            await settle(ledger.pool, chargeAt(Date.now(), { ...mine, sessionId }, cost));
            remaining.set(sessionId, (remaining.get(sessionId) ?? 0n) - cost);
          } else if (sessionId !== mine.sessionId) {
            await closeSession(ledger.pool, sessionId);
            fenced.add(sessionId);
            remaining.set(sessionId, 0n);
          }
          const { rows } = await ledger.pool.query<{ used: bigint }>(
            'SELECT spent + leased AS used FROM ledger.ceilings WHERE account_id = $1',
            [mine.accountId],
          );
          for (const { used } of rows) expect(used).toBeLessThanOrEqual(100n);
        }
      }),
      { numRuns: 40 },
    );
  });
});
