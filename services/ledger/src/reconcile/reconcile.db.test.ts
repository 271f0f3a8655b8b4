import { idFloor, newId } from '@tollgate/common/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { brokenInvariants } from '../../testing/check-invariants.ts';
import { fundedAccount, leasingSession, settle } from '../../testing/ledger-calls.ts';
import { createLedger, type LedgerFixture } from '../../testing/ledger-fixture.ts';
import { UNGUARDED } from '../../testing/unguarded.ts';
import { makeDeposit } from '../deposits/make-deposit.ts';
import { closeSession } from '../leases/end-session.ts';
import { returnCredit } from '../leases/lease-credit.ts';
import type { Invariant } from '../store/findings.ts';
import { readReconciliationStatus } from '../store/reconciliation.ts';
import { DAY_MS, HOUR_MS } from '../store/time.ts';
import { reconcile } from './reconcile.ts';
import { SLICE_SIZE } from './slice.ts';

/** A whole pass. */
const NOW = { budgetMs: 20_000, pass: 'new' } as const;
/** A slice for each hour and account. */
const SMALLEST = { charges: 1, hours: 1, accounts: 1 };

const KEY = buildCharge({ accountId: '', sessionId: '' }).keyId;

const PROJECT = newId();
const OWNER = newId();
const TODAY = Date.now() - (Date.now() % DAY_MS);

let ledger: LedgerFixture;
let accountId: string;
let sessionId: string;
let requestId: string;
let ownRequestId: string;
let depositId: string;

beforeAll(async () => {
  ledger = await createLedger();
  const { pool } = ledger;
  for (let count = 0; count < 3; count++) {
    const other = await fundedAccount(pool, 5_000n);
    const session = await leasingSession(pool, other, 1_000n);
    await settle(pool, buildCharge({ accountId: other, sessionId: session }, 30n));
    await closeSession(pool, session);
  }
  accountId = await fundedAccount(pool, 10_000n);
  sessionId = await leasingSession(pool, accountId, 2_000n);
  const charges = [100n, 0n].map((cost) => buildCharge({ accountId, sessionId }, cost));
  // At a price of its own, and a discount of everything. At list rates its lines are 0.5, 1.5 and 2.5 nano-dollars, which round to 0, 2 and 2.
  const listed = [1n, 3n, 5n].map((quantity) => ({
    ...{ bucket: 'input', quantity, rateNanosPerMillion: 1_000_000n, amountNanos: 0n },
    listRateNanosPerMillion: 500_000n,
  }));
  const own = buildCharge({ accountId, sessionId, lines: listed, discountPpm: 1_000_000, baseCostNanos: 4n }, 0n);
  const free = buildCharge({ accountId, sessionId, baseCostNanos: 0n }, 0n);
  ownRequestId = own.requestId;
  charges.push(own, free);
  const earlier = Date.now() - 3 * HOUR_MS;
  const earlierId = idFloor(earlier).slice(0, 13) + newId().slice(13);
  charges.push(buildCharge({ accountId, sessionId, requestId: earlierId, startedAtMs: BigInt(earlier) }, 200n));
  // One above its hold, and one without a lease: the operator bears those.
  charges.push(buildCharge({ accountId, sessionId, holdNanos: 10n }, 25n));
  charges.push(buildCharge({ accountId, sessionId: newId(), model: 'other' }, 7n));
  // Below nodes, whose days end after the hours of their charges.
  const nodes = [PROJECT, OWNER].map((nodeId) => ({ nodeId, caps: [], name: 'node', scope: 'project' }));
  for (const charge of charges.slice(0, -1)) charge.nodes = charge.requestId === earlierId ? nodes.slice(0, 1) : nodes;
  await settle(pool, ...charges);
  requestId = charges[0]?.requestId ?? '';
  await returnCredit(pool, sessionId, { accountId, cap: undefined, returnedTotal: 300n });
  const adjustment = {
    accountId,
    kind: 'adjustment' as const,
    amountNanos: -500n,
    idempotencyKey: 'a',
    reason: 'test',
  };
  depositId = (await makeDeposit(pool, adjustment)).deposit.depositId;
});
afterAll(() => ledger.drop());

interface Seen {
  invariant: Invariant;
  place: Record<string, unknown>;
  expected: Record<string, unknown> | null;
  found: Record<string, unknown> | null;
}

async function findings(size = SLICE_SIZE): Promise<Seen[]> {
  const report = await reconcile(ledger.pool, { ...NOW, size });
  expect(report.complete).toBe(true);
  return report.findings.map((finding) => ({
    invariant: finding.invariant,
    place: JSON.parse(finding.place),
    expected: JSON.parse(finding.expected),
    found: JSON.parse(finding.found),
  }));
}

it('proves a history of deposits, leases, charges, losses and returns, in one slice and in many', async () => {
  expect(await brokenInvariants(ledger.pool)).toEqual([]);
  for (const size of [SLICE_SIZE, SMALLEST]) {
    const report = await reconcile(ledger.pool, { ...NOW, size });
    expect(report).toMatchObject({ complete: true, accounts: 4, charges: 10, findings: [] });
  }
});

interface Breach {
  what: string;
  invariant: Invariant;
  /** Statements that change rows as no code of ours does, and those that set them right again. */
  broken: () => string[];
  mended: () => string[];
  place: () => object;
  expected: unknown;
  found: unknown;
}

const ofAccount = () => `WHERE account_id = '${accountId}'`;
const ofLot = () => `${ofAccount()} AND kind = 'paid'`;
const ofLease = () => `${ofAccount()} AND session_id = '${sessionId}'`;

const breaches: Breach[] = [
  {
    what: 'a balance with money from nowhere',
    invariant: 'balance_equals_entries',
    broken: () => [`UPDATE ledger.balances SET available = available + 5, revenue = revenue - 5 ${ofAccount()}`],
    mended: () => [`UPDATE ledger.balances SET available = available - 5, revenue = revenue + 5 ${ofAccount()}`],
    place: () => ({ table: 'balances', account_id: accountId, column: 'available' }),
    expected: 7_800,
    found: 7_805,
  },
  {
    what: 'a missing balance',
    invariant: 'balance_equals_entries',
    broken: () => [
      `CREATE TABLE ledger.kept AS SELECT * FROM ledger.balances ${ofAccount()}`,
      `DELETE FROM ledger.balances ${ofAccount()}`,
    ],
    mended: () => ['INSERT INTO ledger.balances SELECT * FROM ledger.kept', 'DROP TABLE ledger.kept'],
    place: () => ({ table: 'balances', account_id: accountId, column: 'available' }),
    expected: 7_800,
    found: null,
  },
  {
    what: 'a charge whose cost was changed',
    invariant: 'lines_sum_to_cost',
    broken: () => [`${UNGUARDED} UPDATE ledger.charges SET cost_nanos = 101 WHERE request_id = '${requestId}'`],
    mended: () => [`${UNGUARDED} UPDATE ledger.charges SET cost_nanos = 100 WHERE request_id = '${requestId}'`],
    place: () => ({ table: 'charges', account_id: accountId, request_id: requestId }),
    expected: 100,
    found: 101,
  },
  {
    what: 'a charge whose base cost was changed',
    invariant: 'lines_sum_to_base_cost',
    broken: () => [`${UNGUARDED} UPDATE ledger.charges SET base_cost_nanos = 5 WHERE request_id = '${ownRequestId}'`],
    mended: () => [`${UNGUARDED} UPDATE ledger.charges SET base_cost_nanos = 4 WHERE request_id = '${ownRequestId}'`],
    place: () => ({ table: 'charges', account_id: accountId, request_id: ownRequestId }),
    expected: 4,
    found: 5,
  },
  {
    what: 'a charge that lost its base cost',
    invariant: 'lines_sum_to_base_cost',
    broken: () => [
      `${UNGUARDED} UPDATE ledger.charges SET base_cost_nanos = NULL WHERE request_id = '${ownRequestId}'`,
    ],
    mended: () => [`${UNGUARDED} UPDATE ledger.charges SET base_cost_nanos = 4 WHERE request_id = '${ownRequestId}'`],
    place: () => ({ table: 'charges', account_id: accountId, request_id: ownRequestId }),
    expected: 4,
    found: null,
  },
  {
    what: 'a missing charge',
    invariant: 'lease_equals_entries',
    broken: () => [
      `CREATE TABLE ledger.kept AS SELECT * FROM ledger.charges WHERE request_id = '${requestId}'`,
      `${UNGUARDED} DELETE FROM ledger.charges WHERE request_id = '${requestId}'`,
    ],
    mended: () => ['INSERT INTO ledger.charges SELECT * FROM ledger.kept', 'DROP TABLE ledger.kept'],
    place: () => ({ table: 'leases', account_id: accountId, session_id: sessionId }),
    expected: { granted: 2_000, spent: 210, returned: 300 },
    found: { granted: 2_000, spent: 310, returned: 300 },
  },
  {
    what: 'a lease with too high a spent amount',
    invariant: 'lease_equals_entries',
    broken: () => [`UPDATE ledger.leases SET spent = spent + 3 ${ofLease()}`],
    mended: () => [`UPDATE ledger.leases SET spent = spent - 3 ${ofLease()}`],
    place: () => ({ table: 'leases', account_id: accountId, session_id: sessionId }),
    expected: { granted: 2_000, spent: 310, returned: 300 },
    found: { granted: 2_000, spent: 313, returned: 300 },
  },
  {
    what: 'a charge that was paid without a lease',
    invariant: 'lease_equals_entries',
    broken: () => [
      `CREATE TABLE ledger.kept AS SELECT * FROM ledger.leases ${ofLease()}`,
      `DELETE FROM ledger.leases ${ofLease()}`,
    ],
    mended: () => ['INSERT INTO ledger.leases SELECT * FROM ledger.kept', 'DROP TABLE ledger.kept'],
    place: () => ({ table: 'leases', account_id: accountId, session_id: sessionId }),
    expected: { granted: 2_000, spent: 310, returned: 300 },
    found: null,
  },
  {
    what: 'leased credit without a lease',
    invariant: 'leased_equals_leases',
    broken: () => [`UPDATE ledger.balances SET leased = leased + 9, available = available - 9 ${ofAccount()}`],
    mended: () => [`UPDATE ledger.balances SET leased = leased - 9, available = available + 9 ${ofAccount()}`],
    place: () => ({ table: 'balances', account_id: accountId, column: 'leased' }),
    expected: 1_390,
    found: 1_399,
  },
  {
    what: 'a transfer between the wrong ledger accounts',
    invariant: 'deposit_equals_transfers',
    broken: () => [`${UNGUARDED} UPDATE ledger.transfers SET amount = 400 WHERE reference = '${depositId}'`],
    mended: () => [`${UNGUARDED} UPDATE ledger.transfers SET amount = 500 WHERE reference = '${depositId}'`],
    place: () => ({ table: 'deposits', account_id: accountId, deposit_id: depositId }),
    expected: -400,
    found: -500,
  },
  {
    what: 'a deposit of another amount',
    invariant: 'deposit_equals_transfers',
    broken: () => [`UPDATE ledger.deposits SET amount_nanos = -501 WHERE deposit_id = '${depositId}'`],
    mended: () => [`UPDATE ledger.deposits SET amount_nanos = -500 WHERE deposit_id = '${depositId}'`],
    place: () => ({ table: 'balances', account_id: accountId, column: 'deposits + adjustments' }),
    expected: -9_499,
    found: -9_500,
  },
  {
    what: 'a lot that lost credit',
    invariant: 'lots_equal_balance',
    broken: () => [`UPDATE ledger.lots SET remaining = remaining - 7, taken = taken + 7 ${ofLot()}`],
    mended: () => [`UPDATE ledger.lots SET remaining = remaining + 7, taken = taken - 7 ${ofLot()}`],
    place: () => ({ table: 'lots', account_id: accountId }),
    expected: { remaining: 9_190, spent: 310, expired: 0 },
    found: { remaining: 9_183, spent: 310, expired: 0 },
  },
  {
    what: 'a charge that is attributed twice',
    invariant: 'lots_equal_balance',
    broken: () => [`UPDATE ledger.balances SET attributed = attributed + 5 ${ofAccount()}`],
    mended: () => [`UPDATE ledger.balances SET attributed = attributed - 5 ${ofAccount()}`],
    place: () => ({ table: 'lots', account_id: accountId }),
    expected: { remaining: 9_185, spent: 315, expired: 0 },
    found: { remaining: 9_190, spent: 310, expired: 0 },
  },
  {
    what: 'a balance below zero',
    invariant: 'nothing_negative',
    broken: () => [
      'ALTER TABLE ledger.balances DROP CONSTRAINT balances_available_check',
      `UPDATE ledger.balances SET available = -1, revenue = revenue + available + 1 ${ofAccount()}`,
    ],
    mended: () => [
      `UPDATE ledger.balances SET available = 7800, revenue = revenue - 7801 ${ofAccount()}`,
      'ALTER TABLE ledger.balances ADD CONSTRAINT balances_available_check CHECK (available >= 0)',
    ],
    place: () => ({ table: 'balances', account_id: accountId }),
    expected: null,
    found: {
      available: -1,
      leased: 1_390,
      revenue: 8_133,
      deposits: -10_000,
      adjustments: 500,
      receivable: 0,
      operator_loss: -22,
      breakage: 0,
    },
  },
  {
    what: 'a cap that has spent another amount',
    invariant: 'cap_equals_charges',
    broken: () => [
      `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent)
       SELECT DISTINCT account_id, key_id, 'total'::ledger.cap_period, 0, 1000, 1, 300 FROM ledger.charges ${ofAccount()}`,
    ],
    mended: () => ['DELETE FROM ledger.ceilings'],
    place: () => ({ table: 'ceilings', account_id: accountId, node_id: KEY, period: 'total', period_start_ms: 0 }),
    expected: { leased: 0, spent: 310 },
    found: { leased: 0, spent: 300 },
  },
  {
    what: 'a cap of a node above keys that has spent another amount',
    invariant: 'cap_equals_charges',
    broken: () => [
      `INSERT INTO ledger.ceilings (account_id, node_id, period, period_start_ms, limit_nanos, revision, spent)
       VALUES ('${accountId}', '${OWNER}', 'total', 0, 1000, 1, 310)`,
    ],
    mended: () => ['DELETE FROM ledger.ceilings'],
    place: () => ({ table: 'ceilings', account_id: accountId, node_id: OWNER, period: 'total', period_start_ms: 0 }),
    expected: { leased: 0, spent: 110 },
    found: { leased: 0, spent: 310 },
  },
  {
    what: 'a day of a node with another amount',
    invariant: 'node_usage_equals_charges',
    broken: () => [`UPDATE ledger.node_usage SET charged_nanos = charged_nanos + 1 WHERE node_id = '${OWNER}'`],
    mended: () => [`UPDATE ledger.node_usage SET charged_nanos = charged_nanos - 1 WHERE node_id = '${OWNER}'`],
    place: () => ({ table: 'node_usage', account_id: accountId, node_id: OWNER, day_ms: TODAY }),
    expected: 110,
    found: 111,
  },
  {
    what: 'a charge that lost its nodes',
    invariant: 'node_usage_equals_charges',
    broken: () => [`${UNGUARDED} UPDATE ledger.charges SET node_ids = NULL WHERE request_id = '${requestId}'`],
    mended: () => [
      `${UNGUARDED} UPDATE ledger.charges SET node_ids = '{${PROJECT},${OWNER}}' WHERE request_id = '${requestId}'`,
    ],
    place: () => ({ table: 'node_usage', account_id: accountId, node_id: OWNER, day_ms: TODAY }),
    expected: 10,
    found: 110,
  },
  {
    what: 'a missing day of a node',
    invariant: 'node_usage_equals_charges',
    broken: () => [
      `CREATE TABLE ledger.kept AS SELECT * FROM ledger.node_usage WHERE node_id = '${OWNER}'`,
      `DELETE FROM ledger.node_usage WHERE node_id = '${OWNER}'`,
    ],
    mended: () => ['INSERT INTO ledger.node_usage SELECT * FROM ledger.kept', 'DROP TABLE ledger.kept'],
    place: () => ({ table: 'node_usage', account_id: accountId, node_id: OWNER, day_ms: TODAY }),
    expected: 110,
    found: null,
  },
];

async function apply(statements: string[]): Promise<void> {
  for (const statement of statements) await ledger.pool.query(statement);
}

describe.each(breaches)('$what', (breach) => {
  it('is found with its row, and disappears once it is corrected', async () => {
    const { invariant, expected, found } = breach;
    await apply(breach.broken());
    const wanted = { invariant, place: breach.place(), expected, found };
    expect(await findings()).toContainEqual(wanted);
    expect(await findings(SMALLEST)).toContainEqual(wanted);
    await apply(breach.mended());
    expect(await findings(SMALLEST)).toEqual([]);
    expect(await findings()).toEqual([]);
  });
});

describe('roll-ups', () => {
  for (const [table, bucket] of [
    ['usage_hourly', 'output'],
    ['usage_daily', 'requests'],
    ['usage_hourly', 'cost_nanos'],
  ] as const) {
    it(`are found when ${bucket} of ${table} is not the sum of its charges`, async () => {
      const { pool } = ledger;
      // The hour is looked at since something was charged in it.
      await settle(pool, buildCharge({ accountId, sessionId, model: 'rolled-up' }, 40n));
      const change = (by: string) =>
        pool.query(
          `UPDATE ledger.${table} SET ${bucket} = ${bucket} ${by} WHERE account_id = $1 AND model = 'rolled-up'`,
          [accountId],
        );
      await change('+ 1');
      for (const size of [SLICE_SIZE, SMALLEST]) {
        const [finding, ...others] = (await findings(size)).filter(({ place }) => place.table === table);
        expect(others).toEqual([]);
        expect(finding).toMatchObject({
          invariant: 'roll_up_equals_charges',
          place: { table, account_id: accountId, key_id: KEY, model: 'rolled-up' },
        });
        expect(Number(finding?.found?.[bucket])).toBe(Number(finding?.expected?.[bucket]) + 1);
      }
      await change('- 1');
      expect(await findings()).toEqual([]);
    });
  }

  it('are found when an hour has none, or one without charges', async () => {
    const { pool } = ledger;
    const { rows } = await pool.query<{ start_ms: bigint }>(
      'SELECT min(start_ms) AS start_ms FROM ledger.usage_hourly WHERE account_id = $1',
      [accountId],
    );
    const move = (from: bigint, to: bigint) =>
      pool.query('UPDATE ledger.usage_hourly SET start_ms = $3 WHERE account_id = $1 AND start_ms = $2', [
        accountId,
        from,
        to,
      ]);
    const hour = rows[0]?.start_ms ?? 0n;
    await move(hour, hour - BigInt(HOUR_MS));
    const seen = (await findings(SMALLEST)).filter(({ place }) => place.table === 'usage_hourly');
    expect(seen.map(({ expected, found }) => [expected?.requests, found?.requests])).toEqual(
      expect.arrayContaining([
        [1, undefined],
        [undefined, 1],
      ]),
    );
    await move(hour - BigInt(HOUR_MS), hour);
    expect(await findings()).toEqual([]);
  });
});

describe('a pass', () => {
  /** A clock on which each look takes a second: the budget is over after a slice. */
  const short = () => {
    let clock = 0;
    return { budgetMs: 2_000, size: SMALLEST, nowMs: () => (clock += 1_000) };
  };

  it('goes on where the previous run ended, and keeps what that found', async () => {
    const { pool } = ledger;
    const bent = `UPDATE ledger.usage_hourly SET requests = requests + $2
      WHERE account_id = $1 AND start_ms = (SELECT min(start_ms) FROM ledger.usage_hourly WHERE account_id = $1)`;
    await pool.query(bent, [accountId, 1]);
    const first = await reconcile(pool, { ...short(), pass: 'new' });
    expect(first.complete).toBe(false);
    const pass = first.beganMs;
    let report = first;
    let runs = 0;
    for (; !report.complete; runs++) report = await reconcile(pool, { ...short(), pass: runs % 2 ? pass : 'running' });
    expect(runs).toBeGreaterThan(4);
    // An hour, its project, and its day.
    expect(report).toMatchObject({ beganMs: pass, accounts: 4, findingsTotal: 3 });
    expect((await readReconciliationStatus(pool)).untilMs).toBe(pass);
    expect(await reconcile(pool, { ...short(), pass })).toMatchObject({ complete: true, beganMs: pass });
    await pool.query(bent, [accountId, -1]);
    expect(await findings()).toEqual([]);
  });

  it('that begins anew replaces the running one, whose waiter gets the result of the new one', async () => {
    const { pool } = ledger;
    const old = await reconcile(pool, { ...short(), pass: 'new' });
    const anew = await reconcile(pool, { ...short(), pass: 'new' });
    expect(anew.beganMs).toBeGreaterThan(old.beganMs);
    expect(await reconcile(pool, { ...NOW, pass: old.beganMs })).toMatchObject({ complete: true, accounts: 4 });
    expect((await readReconciliationStatus(pool)).untilMs).toBe(anew.beganMs);
  });
});
