import { CAP_PERIOD_OF_LABEL, CAP_PERIODS, type CapPeriodLabel, periodStart } from '@tollgate/common/cap-periods';
import { newId } from '@tollgate/common/ids';
import { minBigInt } from '@tollgate/common/money';
import { CapPeriod, type LeaseState } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, giveBack, openedSession, settle, usable } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { readBalance } from '../store/balances.ts';
import type { Cap } from '../store/ceilings.ts';
import type { CeilingNeed } from './ceilings.ts';
import { acquireCredit } from './lease-credit.ts';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await createLedger();
});
afterAll(() => ledger.drop());
afterEach(async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
});

/** A key of a new account, with an open session. */
class Owner {
  readonly keyId = newId();
  readonly accountId: string;
  readonly sessionId: string;
  #sequence = 0n;

  private constructor(accountId: string, sessionId: string) {
    this.accountId = accountId;
    this.sessionId = sessionId;
  }

  static async create(balance: bigint): Promise<Owner> {
    return new Owner(await fundedAccount(ledger.pool, balance), await openedSession(ledger.pool));
  }

  cap(period: CapPeriodLabel): Cap {
    return { accountId: this.accountId, nodeId: this.keyId, period, startMs: periodStart(period, Date.now()) };
  }

  /** Acquires for a session, or its own one; each with a higher sequence than the last, unless it is given. */
  async acquire(needs: Partial<Needs>, options: Partial<AcquireOptions> = {}): Promise<LeaseState> {
    const { sessionId = this.sessionId, limits = {}, revision = 1n } = options;
    this.#sequence += 1n;
    const sequence = options.sequence ?? this.#sequence;
    const all: CeilingNeed[] = [];
    for (const name of NAMES) {
      const grantedTotalNeeded = needs[name];
      if (grantedTotalNeeded === undefined) continue;
      if (name === 'balance') all.push({ cap: undefined, grantedTotalNeeded, limitNanos: 0n, revision: 0n });
      else all.push({ cap: this.cap(name), grantedTotalNeeded, limitNanos: limits[name] ?? 100n, revision });
    }
    const { accountId } = this;
    return usable(await acquireCredit(ledger.pool, sessionId, { accountId, sequence, needs: all, prefetch: false }));
  }

  /** What is leased of the balance and the caps. */
  async leased(): Promise<Record<string, bigint>> {
    const balance = await readBalance(ledger.pool, this.accountId);
    const { rows } = await ledger.pool.query<{ period: string; leased: bigint }>(
      'SELECT period, leased FROM ledger.ceilings WHERE account_id = $1',
      [this.accountId],
    );
    return { balance: balance?.leased ?? 0n, ...Object.fromEntries(rows.map((row) => [row.period, row.leased])) };
  }
}

const NAMES = ['balance', ...CAP_PERIODS] as const;
type Needs = Record<(typeof NAMES)[number], bigint>;

interface AcquireOptions {
  sessionId: string;
  sequence: bigint;
  /** 100 unless given. */
  limits: Partial<Needs>;
  revision: bigint;
}

describe('an acquire of several ceilings', () => {
  it('is granted of each, and responded with each in its order', async () => {
    const owner = await Owner.create(100n);
    const state = await owner.acquire({ balance: 10n, day: 20n, total: 30n }, { limits: { total: 40n }, revision: 3n });
    expect(state).toMatchObject({ refused: false, suspended: false, sequence: 1n });
    const name = { nodeId: owner.keyId, periodStartMs: BigInt(owner.cap('day').startMs), period: CapPeriod.DAY };
    expect(state.ceilings).toMatchObject([
      {
        ceiling: { nodeId: '' },
        grantedTotal: 10n,
        leftNanos: 100n,
        availableNanos: 90n,
        limitNanos: 0n,
        short: false,
      },
      { ceiling: name, grantedTotal: 20n, availableNanos: 80n, limitNanos: 100n, revision: 3n, short: false },
      { ceiling: { period: CapPeriod.TOTAL }, grantedTotal: 30n, availableNanos: 10n, limitNanos: 40n, short: false },
    ]);
    expect(await owner.leased()).toEqual({ balance: 10n, day: 20n, total: 30n });
  });

  it.each([
    ['the balance', { balance: 51n, day: 10n, total: 10n }, [true, false, false]],
    ['a cap', { balance: 10n, day: 10n, total: 101n }, [false, false, true]],
    ['the balance and a cap', { balance: 51n, day: 101n, total: 10n }, [true, true, false]],
  ])('is granted of none if too little is left of %s', async (_, needs, short) => {
    const owner = await Owner.create(50n);
    const state = await owner.acquire(needs);
    expect(state.refused).toBe(true);
    expect(state.ceilings.map((ceiling) => ceiling.short)).toEqual(short);
    expect(state.ceilings.map((ceiling) => ceiling.grantedTotal)).toEqual([0n, 0n, 0n]);
    expect(await owner.leased()).toEqual({ balance: 0n, day: 0n, total: 0n });
    expect(await owner.acquire({ balance: 50n, day: 100n, total: 100n })).toMatchObject({ refused: false });
  });

  it('is repeated without a second grant, and gets of a lease that a later one was granted nothing more', async () => {
    const owner = await Owner.create(100n);
    await owner.acquire({ balance: 10n, day: 20n }, { sequence: 5n });
    const again = await owner.acquire({ balance: 10n, day: 20n }, { sequence: 5n });
    expect(again).toMatchObject({ refused: false, ceilings: [{ grantedTotal: 10n }, { grantedTotal: 20n }] });
    const late = await owner.acquire({ balance: 30n, day: 40n, total: 7n }, { sequence: 4n });
    expect(late.refused).toBe(false);
    expect(late.ceilings.map((ceiling) => ceiling.grantedTotal)).toEqual([10n, 20n, 7n]);
    // The next sequence of the total is lower than the last of the others.
    await owner.acquire({ balance: 30n, day: 40n, total: 7n }, { sequence: 6n });
    expect(await owner.leased()).toEqual({ balance: 30n, day: 40n, total: 7n });
  });

  it('is refused while a cap was lowered below what is leased, also if nothing more of it is needed', async () => {
    const owner = await Owner.create(100n);
    await owner.acquire({ balance: 10n, day: 80n, month: 80n });
    const lowered = { limits: { day: 50n }, revision: 2n };
    const refused = await owner.acquire({ balance: 20n, day: 80n, month: 80n }, lowered);
    expect(refused).toMatchObject({ refused: true, ceilings: [{ short: false }, { short: true }, { short: false }] });
    expect(await owner.leased()).toEqual({ balance: 10n, day: 80n, month: 80n });
    await giveBack(ledger.pool, owner.sessionId, { accountId: owner.accountId, cap: owner.cap('day') }, 30n);
    expect(await owner.acquire({ balance: 20n, day: 80n, month: 80n }, lowered)).toMatchObject({ refused: false });
  });

  it('that is refused applies later limits', async () => {
    const owner = await Owner.create(10n);
    await owner.acquire({ balance: 1n, day: 1n });
    await owner.acquire({ balance: 11n, day: 1n }, { limits: { day: 70n }, revision: 2n });
    const state = await owner.acquire({ day: 1n });
    expect(state.ceilings).toMatchObject([{ limitNanos: 70n, revision: 2n }]);
  });

  it('is refused to an account that owes money, but not of caps alone', async () => {
    const owner = await Owner.create(100n);
    const debt = { kind: 'dispute' as const, amountNanos: -150n, idempotencyKey: newId(), reason: 'test' };
    await makeDeposit(ledger.pool, { accountId: owner.accountId, ...debt });
    const state = await owner.acquire({ balance: 1n, day: 1n });
    expect(state).toMatchObject({ refused: true, suspended: true, ceilings: [{ short: true }, { short: false }] });
    expect(await owner.acquire({ day: 1n })).toMatchObject({ refused: false, suspended: true });
    expect(await owner.acquire({ balance: 0n, day: 2n })).toMatchObject({ refused: false });
  });

  it('of an account that never had money is refused because of the balance', async () => {
    const owner = await Owner.create(1n);
    const accountId = newId();
    const cap = { ...owner.cap('total'), accountId };
    const need = { grantedTotalNeeded: 1n, limitNanos: 100n, revision: 1n };
    const needs = [
      { ...need, cap: undefined },
      { ...need, cap },
    ];
    const acquire = { accountId, sequence: 1n, needs, prefetch: false };
    expect(await acquireCredit(ledger.pool, owner.sessionId, acquire)).toMatchObject({
      refused: true,
      ceilings: [
        { short: true, leftNanos: 0n },
        { short: false, leftNanos: 100n },
      ],
    });
  });
});

it('sessions that race for the same ceilings share all that there is and no more', async () => {
  const owner = await Owner.create(200n);
  const sessions = await Promise.all(Array.from({ length: 8 }, () => openedSession(ledger.pool)));
  const limits = { day: 70n, month: 60n, total: 200n };
  const needs = [
    { balance: 10n, day: 10n, month: 10n },
    { total: 10n, day: 10n, month: 10n },
  ];
  const states = await Promise.all(
    sessions.map((sessionId, index) => owner.acquire(needs[index % 2] ?? {}, { sessionId, limits })),
  );
  expect(states.filter(({ refused }) => !refused)).toHaveLength(6);
  const { balance = 0n, day, month, total = 0n } = await owner.leased();
  expect([day, month, balance + total]).toEqual([60n, 60n, 60n]);
});

/** The ceilings as they are stored. */
async function ceilings({ accountId }: Owner): Promise<{ name: string; room: bigint; used: bigint; parts: bigint }[]> {
  const { rows } = await ledger.pool.query<{ name: string; room: bigint; used: bigint; parts: bigint }>(
    `SELECT c.period::text AS name, c.limit_nanos - c.spent - c.leased AS room, c.leased AS used,
            coalesce((SELECT sum(granted - spent - returned) FROM ledger.ceiling_leases l
                      WHERE (l.account_id, l.node_id, l.period) = (c.account_id, c.node_id, c.period)), 0)::bigint AS parts
     FROM ledger.ceilings c WHERE account_id = $1
     UNION ALL
     SELECT 'balance', available, leased,
            coalesce((SELECT sum(granted - spent - returned) FROM ledger.leases l WHERE l.account_id = $1), 0)::bigint
     FROM ledger.balances WHERE account_id = $1`,
    [accountId],
  );
  return rows;
}

it('no ceiling is leased beyond its limit, whatever three sessions acquire, return and spend', async () => {
  const nanos = fc.option(fc.bigInt({ min: 0n, max: 60n }), { freq: 2, nil: undefined });
  const who = fc.nat(2);
  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('acquire' as const),
        who,
        more: fc.record({ balance: nanos, day: nanos, week: nanos, month: nanos, total: nanos }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('return' as const), who, of: fc.constantFrom(...NAMES), total: nanos }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('charge' as const), who, cost: fc.bigInt(1n, 40n) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const owner = await Owner.create(150n);
      const sessions = [owner.sessionId, await openedSession(ledger.pool), await openedSession(ledger.pool)];
      const granted = sessions.map(() => ({ balance: 0n, day: 0n, week: 0n, month: 0n, total: 0n }));
      const remaining = sessions.map(() => ({ balance: 0n, day: 0n, week: 0n, month: 0n, total: 0n }));
      const record = (place: number, state: LeaseState, names: readonly (typeof NAMES)[number][]) => {
        for (const [at, name] of names.entries()) {
          const ceiling = state.ceilings[at];
          const [totals, rest] = [granted[place], remaining[place]];
          if (ceiling === undefined || totals === undefined || rest === undefined) throw new Error('no ceiling');
          totals[name] = ceiling.grantedTotal;
          rest[name] = ceiling.grantedTotal - ceiling.spentTotal - ceiling.returnedTotal;
        }
      };
      for (const step of steps) {
        const sessionId = sessions[step.who] ?? owner.sessionId;
        const [totals, rest] = [granted[step.who], remaining[step.who]];
        if (totals === undefined || rest === undefined) throw new Error('no session');
        if (step.kind === 'acquire') {
          const names = NAMES.filter((name) => step.more[name] !== undefined);
          if (names.length === 0) continue;
          const before = new Map((await ceilings(owner)).map(({ name, room }) => [name, room]));
          const missing = names.map((name) => step.more[name] ?? 0n);
          const needs = Object.fromEntries(names.map((name, at) => [name, totals[name] + (missing[at] ?? 0n)]));
          const state = await owner.acquire(needs, { sessionId });
          const isShort = names.map((name, at) => (missing[at] ?? 0n) > (before.get(name) ?? 100n));
          expect(state.ceilings.map((ceiling) => ceiling.short)).toEqual(isShort);
          expect(state.refused).toBe(isShort.includes(true));
          for (const [at, { grantedTotal }] of state.ceilings.entries()) {
            const total = totals[names[at] ?? 'balance'];
            if (state.refused) expect(grantedTotal).toBe(total);
            else expect(grantedTotal - total).toBeGreaterThanOrEqual(missing[at] ?? 0n);
          }
          record(step.who, state, names);
        } else if (step.kind === 'return') {
          const cap = step.of === 'balance' ? undefined : owner.cap(step.of);
          const { accountId } = owner;
          const { ceiling, grantedTotal, spentTotal, returnedTotal } = await giveBack(
            ledger.pool,
            sessionId,
            { accountId, cap },
            step.total ?? 0n,
          );
          expect(ceiling?.nodeId).toBe(cap?.nodeId ?? '');
          rest[step.of] = grantedTotal - spentTotal - returnedTotal;
        } else {
          // Only what is leased of all of them may be held, and so charged.
          const cost = NAMES.map((name) => rest[name]).reduce(minBigInt, step.cost);
          if (cost === 0n) continue;
          const { accountId, keyId } = owner;
          const caps = CAP_PERIODS.map((period) => CAP_PERIOD_OF_LABEL[period]);
          await settle(ledger.pool, buildCharge({ accountId, keyId, sessionId, caps }, cost));
          for (const name of NAMES) rest[name] -= cost;
        }
        for (const { name, room, used, parts } of await ceilings(owner)) {
          expect(room, name).toBeGreaterThanOrEqual(0n);
          expect(parts, name).toBe(used);
        }
      }
    }),
    { numRuns: 30 },
  );
});
