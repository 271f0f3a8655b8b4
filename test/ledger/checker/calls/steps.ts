import fc from 'fast-check';
import { KEEP_MS, TIMES } from '../support/replica.ts';
import { NODE_PERIODS, PERIODS, type Period, PLACES } from './ceilings.ts';

export const ACCOUNTS = 2;
export const SESSIONS = 3;
export const REPLICAS = 2;

/** A fault during an operation. */
export type Mishap =
  /** The connection to the database is lost before or after the commit; the ledger retries. */
  | 'lost_before'
  | 'lost_after'
  /** The ledger dies before or after the commit; the client retries at another process. */
  | 'dies_before'
  | 'dies_after';

const account = fc.nat({ max: ACCOUNTS - 1 });
const session = fc.nat({ max: SESSIONS - 1 });
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 400n }), fc.bigInt({ min: 400n, max: 2_000n }));

const limit = fc.bigInt({ min: 0n, max: 600n });
const limits = fc.record({ day: limit, week: limit, month: limit, total: limit, session: limit });

/** Which of the account's keys, and where it is. */
const key = fc.constantFrom(0 as const, 0 as const, 1 as const);
const place = fc.oneof(fc.constant(0), fc.nat({ max: PLACES.length - 1 }));

/** Which session of a client it is in, if it is in one. */
const run = fc.option(fc.constantFrom(0 as const, 1 as const), { freq: 2, nil: undefined });

/** Mostly few periods. */
const periods = fc.oneof(fc.constant<Period[]>([]), fc.subarray([...PERIODS]));

/** Prefers a lease with remaining credit, if there is one, to the named one. */
const covered = fc.constantFrom(true, true, false);

/** Faults of a record. */
const fault = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'request_id',
      'session_id',
      'amount',
      'sum',
      'old',
      'future',
      'stranger',
      'nul',
      'nodes',
    ),
  },
);

const line = fc.record({
  bucket: fc.constantFrom('input', 'output'),
  quantity: fc.bigInt({ min: 0n, max: 150n }),
  /** Half a nano-dollar per token gives ties, the others all kinds of remainders. */
  rate: fc.constantFrom(1_000_000n, 500_000n, 500_000n, 1_500_000n, 333_333n),
});

const record = fc.record({
  account,
  session,
  covered,
  key,
  place,
  /** The caps that it was held under, of the key and of each node above it. */
  caps: fc.subarray([...PERIODS]),
  capsAbove: fc.subarray([...PERIODS]),
  run,
  isRunHeld: fc.constantFrom(true, true, false),
  lines: fc.array(line, { minLength: 0, maxLength: 2 }),
  discountPpm: fc.constantFrom(0, 0, 0, 500_000, 123_456),
  /** The hold, as a percentage of the cost. */
  holdPercent: fc.constantFrom(50n, 100n, 100n, 100n, 150n),
  /** How long ago the request began. */
  agoMs: fc.constantFrom(0, 0, 10_000, 70_000, 3_600_000),
  /** Repeats the record settled this many before. */
  again: fc.option(fc.nat({ max: 5 }), { freq: 2, nil: undefined }),
  /** The same request with different content. */
  changed: fc.boolean(),
  fault,
});

const call = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('deposit' as const),
      account,
      label: fc.constantFrom(
        'deposit' as const,
        'deposit' as const,
        'adjustment' as const,
        'refund' as const,
        'dispute' as const,
      ),
      amount,
      /** A dispute that exceeds the available amount by this much. */
      beyond: fc.boolean(),
      /** A refund or dispute of what the deposit this many before brought. */
      of: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
      /** Of the lot of a credit. */
      lot: fc.option(
        fc.record({
          endsInMs: fc.constantFrom(undefined, 1_000, 20_000, 120_000),
          priority: fc.constantFrom(50, 50, 40, 60),
        }),
        { freq: 2, nil: undefined },
      ),
      again: fc.option(fc.nat({ max: 2 }), { freq: 3, nil: undefined }),
      changed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('beat' as const), session }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('acquire' as const),
      account,
      session,
      covered,
      more: fc.bigInt({ min: -20n, max: 300n }),
      ofBalance: fc.constantFrom(true, true, true, false),
      key,
      place,
      /** The caps it names too, of its key and of each node above, and how much more it needs of each. */
      caps: periods,
      capsAbove: periods,
      run,
      moreOfCaps: fc.bigInt({ min: -20n, max: 120n }),
      /** New limits of the caps of its key, of each node above, and of its session. */
      limits: fc.option(limits, { freq: 3, nil: undefined }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('acquire_again' as const), back: fc.nat({ max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('return' as const),
      account,
      session,
      covered,
      cap: fc.option(fc.constantFrom(...NODE_PERIODS), { freq: 3, nil: undefined }),
      percent: fc.bigInt({ min: 0n, max: 120n }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('return_again' as const), back: fc.nat({ max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      records: fc.array(record, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), session, by: session }) },
);

export type CallStep = typeof call extends fc.Arbitrary<infer S> ? S : never;
export type RecordStep = typeof record extends fc.Arbitrary<infer S> ? S : never;

const replica = fc.nat({ max: REPLICAS - 1 });
const mishap: fc.Arbitrary<Mishap | undefined> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom('lost_before', 'lost_after', 'dies_before', 'dies_after') },
);

/** Durations: moments, a session's time to live, and the time until a dead session's credit is freed. */
const silence = fc.constantFrom(
  1_000,
  6_000,
  TIMES.SESSION_TTL_MS - 1_000,
  TIMES.SESSION_TTL_MS + 1_000,
  KEEP_MS / 2,
  KEEP_MS,
);

const step = fc.oneof(
  { weight: 40, arbitrary: fc.record({ kind: fc.constant('call' as const), call, replica, mishap }) },
  {
    weight: 7,
    arbitrary: fc.record({ kind: fc.constant('race' as const), calls: fc.array(call, { minLength: 2, maxLength: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: silence }) },
  {
    weight: 6,
    // The sweeper runs for some time.
    arbitrary: fc.record({ kind: fc.constant('sweep' as const), rounds: fc.constantFrom(1, 1, 8, 14), replica }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('raise_epoch' as const), replica }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('end_lots' as const), replica, mishap }) },
);

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** An acquire of the balance alone. */
const UNCAPPED = {
  ...{ key: 0 as const, place: 0, ofBalance: true },
  ...{ caps: [], capsAbove: [], run: undefined, moreOfCaps: 0n, limits: undefined },
};

/** More is taken back than is available while credit is leased, the lease is returned, and credit is acquired again. */
const owing = fc
  .record({ account, session, replica, amount, percent: fc.bigInt({ min: 1n, max: 100n }) })
  .map((chosen) => {
    const { account, session, replica, amount, percent } = chosen;
    const place = { account, session, covered: false };
    const money = {
      kind: 'deposit' as const,
      account,
      amount,
      of: undefined,
      lot: undefined,
      again: undefined,
      changed: false,
    };
    const calls: CallStep[] = [
      { ...money, label: 'deposit', beyond: false },
      { ...place, ...UNCAPPED, kind: 'acquire', more: amount / 2n },
      { ...money, label: 'dispute', beyond: true },
      { ...place, kind: 'return', cap: undefined, percent },
      { ...place, ...UNCAPPED, kind: 'acquire', more: 1n },
    ];
    return calls.map((call): Step => ({ kind: 'call', call, replica, mishap: undefined }));
  });

/**
 * A lot ends while a part of it is leased, which is charged, and returned, perhaps to an account that owes: what a dispute takes is
 * spent before such a lot, so that the lot is left when the debt can be paid.
 */
const ending = fc
  .record({
    account,
    session,
    replica,
    amount,
    percent: fc.bigInt({ min: 1n, max: 100n }),
    records: fc.array(record),
    owes: fc.boolean(),
  })
  .map(({ account, session, replica, amount, percent, records, owes }): Step[] => {
    const place = { account, session, covered: false };
    const lot = { endsInMs: 20_000 as const, priority: owes ? (60 as const) : (50 as const) };
    const money = { kind: 'deposit' as const, account, amount, of: undefined, again: undefined, changed: false };
    const calls = (...list: CallStep[]) =>
      list.map((call): Step => ({ kind: 'call', call, replica, mishap: undefined }));
    const end: Step[] = [
      { kind: 'wait', ms: 20_000 },
      { kind: 'end_lots', replica, mishap: undefined },
    ];
    return [
      ...calls(
        { ...money, label: 'adjustment', beyond: false, lot },
        { ...money, label: 'deposit', beyond: false, lot: undefined },
        { ...place, ...UNCAPPED, kind: 'acquire', more: amount / 2n },
      ),
      ...(owes ? calls({ ...money, amount: 1n, label: 'dispute', beyond: true, lot: undefined }) : []),
      ...end,
      ...(records.length === 0 ? [] : calls({ kind: 'settle', records })),
      ...calls({ ...place, kind: 'return', cap: undefined, percent }),
      ...end,
    ];
  });

/** Paid and granted credit, and refunds of both. */
const refunding = fc
  .record({ account, replica, amount, part: fc.bigInt({ min: 1n, max: 40n }) })
  .map((chosen): Step[] => {
    const { account, replica, amount, part } = chosen;
    const money = {
      kind: 'deposit' as const,
      account,
      beyond: false,
      lot: undefined,
      again: undefined,
      changed: false,
    };
    const calls: CallStep[] = [
      { ...money, label: 'deposit', amount, of: undefined },
      { ...money, label: 'adjustment', amount: amount + part, of: undefined },
      { ...money, label: 'refund', amount: part, of: 0 },
      { ...money, label: 'refund', amount: part, of: 1 },
      { ...money, label: 'refund', amount, of: undefined },
    ];
    return calls.map((call) => ({ kind: 'call', call, replica, mishap: undefined }));
  });

/** A limit is reached, raised, and lowered below what is leased; what it refused at first is asked for again once it is raised. */
const limiting = fc.record({ account, session, replica, key, place, run }).map((chosen): Step[] => {
  const { account, session, replica, key, place, run } = chosen;
  const all = (limit: bigint) => ({ day: limit, week: limit, month: limit, total: limit, session: limit });
  const deposit = { kind: 'deposit' as const, account, label: 'deposit' as const, amount: 1_000n, beyond: false };
  const caps: Period[] = ['total'];
  const acquire = {
    kind: 'acquire' as const,
    account,
    session,
    covered: false,
    key,
    place,
    caps,
    capsAbove: caps,
    run,
  };
  const calls: CallStep[] = [
    { ...deposit, of: undefined, lot: undefined, again: undefined, changed: false },
    { ...acquire, more: 1n, ofBalance: true, moreOfCaps: 120n, limits: all(100n) },
    { ...acquire, more: 0n, ofBalance: false, moreOfCaps: 60n, limits: all(600n) },
    { kind: 'acquire_again', back: 1 },
    { ...acquire, more: 0n, ofBalance: true, moreOfCaps: 0n, limits: all(10n) },
  ];
  return calls.map((call) => ({ kind: 'call', call, replica, mishap: undefined }));
});

const steps = fc.oneof(
  { weight: 60, arbitrary: step.map((one) => [one]) },
  { weight: 1, arbitrary: owing },
  { weight: 2, arbitrary: ending },
  { weight: 1, arbitrary: refunding },
  { weight: 1, arbitrary: limiting },
);

/** A history: when it begins, relative to the end of a month, and its steps. */
export const history = fc.record({
  // The month ends on a Sunday: a day later a week begins.
  beforeMonthEndMs: fc.constantFrom(-3_600_000, 5_000, 60_000, 4_000_000, 5_000 - 86_400_000),
  funds: fc.bigInt({ min: 0n, max: 1_500n }),
  steps: fc.array(steps, { minLength: 3, maxLength: 40, size: 'max' }).map((parts) => parts.flat()),
});

export type History = typeof history extends fc.Arbitrary<infer H> ? H : never;
