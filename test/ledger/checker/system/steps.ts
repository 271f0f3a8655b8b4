import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { TIMES } from '../support/replica.ts';
import type { JournalDamage } from './ingress.ts';
import type { Caps } from './invariants.ts';

export const ACCOUNTS = 2;
export const INGRESSES = 2;
export const REPLICAS = 2;

const account = fc.nat({ max: ACCOUNTS - 1 });
const ingress = fc.nat({ max: INGRESSES - 1 });
const replica = fc.nat({ max: REPLICAS - 1 });
const pick = fc.nat({ max: 20 });

/** Moments, the heartbeat interval, a session's time to live, and more than it takes to expire. */
const ms = fc.constantFrom(5, 50, 300, 1_000, 3_000, 6_000, TIMES.SESSION_TTL_MS, 20_000, 40_000, 110_000);

const caps = fc.record({
  dayNanos: fc.bigInt({ min: 50n, max: 800n }),
  totalNanos: fc.bigInt({ min: 50n, max: 1_500n }),
});

interface Weighted {
  weight: number;
  arbitrary: fc.Arbitrary<StepShape>;
}

/** Steps of histories with hazards only. */
const HAZARDS: Weighted[] = [
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stop_amid_replay' as const), ingress }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('change_caps' as const), caps }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('set_clock' as const),
      ingress,
      account,
      max: fc.bigInt({ min: 1n, max: 30n }),
      aheadMs: fc.constantFrom(0, 30_000, -30_000, 120_000, 900_000, -900_000),
    }),
  },
];

/** @param hazards adds further faults, see the README. Without it, seeds give the same histories as before these existed. */
const weightsOf = (hazards: boolean): Weighted[] => [
  {
    weight: 44,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      ingress,
      account,
      max: fc.oneof(fc.bigInt({ min: 1n, max: 60n }), fc.bigInt({ min: 60n, max: 500n })),
      /** The minimum hold, in percent of the maximum. */
      leastPercent: fc.constantFrom(100n, 100n, 30n),
      /** By the account's key that has spending caps. */
      capped: fc.constantFrom(false, false, true),
      /** Its client disconnects at once if it has to wait. */
      leaves: hazards ? fc.constantFrom(false, false, false, true) : fc.constant(false),
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      pick,
      /** Its cost, in percent of its hold; the bound may be too low. */
      costPercent: fc.constantFrom(0n, 10n, 50n, 100n, 100n, 130n),
      released: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 22, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('deposit' as const),
      account,
      amount: fc.bigInt({ min: -300n, max: 300n }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('kill_ingress' as const),
      ingress,
      /** The state of the journal after the machine's end. */
      journal: hazards
        ? fc.constantFrom<JournalDamage>('intact', 'torn', 'bad_payload', 'bad_length')
        : fc.boolean().map((torn): JournalDamage => (torn ? 'torn' : 'intact')),
      pick: hazards ? pick : fc.constant(0),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('start_ingress' as const), ingress }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop_ingress' as const), ingress }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pause' as const), ingress, suspended: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('resume' as const), ingress }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      ingress,
      code: hazards
        ? fc.constantFrom(status.UNAVAILABLE, status.INTERNAL, status.RESOURCE_EXHAUSTED)
        : fc.constant(status.UNAVAILABLE),
      /** A batch of charges is sent, and lost. */
      losesBatch: hazards ? fc.boolean() : fc.constant(false),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('kill_ledger' as const), replica }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('start_ledger' as const), replica }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fail_commit' as const),
      replica,
      phase: fc.constantFrom('before' as const, 'after' as const),
      dies: fc.boolean(),
      /** The database rejects the commit, and the connection stays open. */
      sqlState: hazards ? fc.constantFrom(undefined, undefined, '53100', '53200') : fc.constant(undefined),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('outage' as const), ms, sweeperFirst: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('hold_messages' as const) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('flow' as const), burst: fc.boolean() }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('deliver' as const), pick, twice: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('lose' as const), pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sleep' as const),
      ingress,
      account,
      max: fc.bigInt({ min: 1n, max: 30n }),
      ms: fc.constantFrom(14_000, 20_000, 220_000),
      suspended: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('snapshot' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fail_over' as const),
      raised: fc.boolean(),
      /** The new database has all grants and lacks the last charges, or messages with charges to it are lost. */
      charges: hazards ? fc.constantFrom(undefined, 'missing' as const, 'lost' as const) : fc.constant(undefined),
    }),
  },
  ...(hazards ? HAZARDS : []),
];

type StepShape =
  | {
      kind: 'request';
      ingress: number;
      account: number;
      max: bigint;
      leastPercent: bigint;
      capped: boolean;
      leaves: boolean;
    }
  | { kind: 'finish'; pick: number; costPercent: bigint; released: boolean }
  | { kind: 'wait'; ms: number }
  | { kind: 'deposit'; account: number; amount: bigint }
  | { kind: 'kill_ingress'; ingress: number; journal: JournalDamage; pick: number }
  | { kind: 'start_ingress' | 'stop_ingress' | 'resume'; ingress: number }
  /** A killed ingress is restarted, and stopped while it settles its journal. */
  | { kind: 'stop_amid_replay'; ingress: number }
  | { kind: 'cut'; ingress: number; code: status; losesBatch: boolean }
  | { kind: 'change_caps'; caps: Caps }
  /** An ingress's clock is set forward or back, and a request arrives after its next heartbeat. */
  | { kind: 'set_clock'; ingress: number; account: number; max: bigint; aheadMs: number }
  | { kind: 'pause'; ingress: number; suspended: boolean }
  /** A machine is suspended between two requests, and handles the second one before any message. */
  | { kind: 'sleep'; ingress: number; account: number; max: bigint; ms: number; suspended: boolean }
  | { kind: 'kill_ledger' | 'start_ledger'; replica: number }
  | { kind: 'fail_commit'; replica: number; phase: 'before' | 'after'; dies: boolean; sqlState: string | undefined }
  | { kind: 'outage'; ms: number; sweeperFirst: boolean }
  | { kind: 'hold_messages' | 'snapshot' }
  | { kind: 'flow'; burst: boolean }
  | { kind: 'deliver'; pick: number; twice: boolean }
  | { kind: 'lose'; pick: number }
  | { kind: 'fail_over'; raised: boolean; charges: 'missing' | 'lost' | undefined };

export type Step = StepShape;

/** A history of the system: when it begins, relative to the end of a month, and its steps. */
export const history = (hazards: boolean) =>
  fc.record({
    beforeMonthEndMs: fc.constantFrom(-3_600_000, 5_000, 60_000),
    funds: fc.oneof(fc.bigInt({ min: 1n, max: 400n }), fc.bigInt({ min: 400n, max: 4_000n })),
    /** The seed of everything random, such as delays between attempts. */
    chance: fc.nat(),
    /** Of the keys that have spending caps. */
    caps,
    /** Records so long that ten of them fill a journal segment. */
    longRecords: hazards ? fc.boolean() : fc.constant(false),
    /** How long a disk takes to read a file: a journal is replayed for a while. */
    readMs: hazards ? fc.constantFrom(0, 50) : fc.constant(0),
    settleBeforeEndMs: fc.constantFrom(0, 0, 20),
    steps: fc.array(fc.oneof(...weightsOf(hazards)), { minLength: 5, maxLength: 60, size: 'max' }),
  });

export type History = ReturnType<typeof history> extends fc.Arbitrary<infer H> ? H : never;
