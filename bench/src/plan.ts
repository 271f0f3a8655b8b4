/** Amounts and durations of the measurements, in milliseconds. */
export interface Plan {
  name: 'short' | 'long';
  /** Load on a gateway that has just started. */
  startedMs: number;
  /** Further warm-up of each kind of request until the code is compiled. */
  warmUpMs: number;
  /** Rounds of each scenario, and the duration of each. */
  rounds: number;
  roundMs: number;
  /** Rounds of streams of a pair of protocols and of scenarios without a budget, and the duration of those of a pair. */
  minorRounds: number;
  pairMs: number;
  /** Number of streams with an event a second, and how long their events are counted. */
  openStreams: number;
  openStreamsMs: number;
  /** The same of streams with an event every ten seconds; 0 measures none. */
  quietStreams: number;
  quietStreamsMs: number;
  /** Starts of an ingress whose first requests are measured. */
  freshStarts: number;
  /** Requests with a key each that the ingress has not seen. */
  coldKeys: number;
  /** Idle time after all load, before memory is read again. */
  idleMs: number;
  /** Charges settled through the ledger, compared with a plain insert of the same rows. */
  ledgerRounds: number;
  ledgerCharges: number;
  /** Keys that are known, and charges of the ledger: sizes at which the same is measured. */
  knownKeys: readonly number[];
  storedCharges: readonly number[];
  /** How many of the known keys Redis has. */
  keysInRedis: number;
  growthRounds: number;
  growthMs: number;
  /** Duration of a constant load, measured in parts; 0 measures none. */
  soakMs: number;
}

const SHORT: Plan = {
  name: 'short',
  startedMs: 15_000,
  warmUpMs: 6_000,
  rounds: 3,
  roundMs: 2_000,
  minorRounds: 2,
  pairMs: 1_000,
  openStreams: 1_000,
  openStreamsMs: 6_000,
  quietStreams: 0,
  quietStreamsMs: 0,
  freshStarts: 3,
  coldKeys: 1_500,
  idleMs: 60_000,
  ledgerRounds: 2,
  ledgerCharges: 60_000,
  knownKeys: [10, 10_000],
  storedCharges: [0, 1_000_000],
  keysInRedis: 2_000,
  growthRounds: 2,
  growthMs: 1_500,
  soakMs: 0,
};

const LONG: Plan = {
  name: 'long',
  startedMs: 15_000,
  warmUpMs: 30_000,
  rounds: 11,
  roundMs: 6_000,
  minorRounds: 7,
  pairMs: 4_000,
  openStreams: 1_000,
  openStreamsMs: 20_000,
  quietStreams: 5_000,
  quietStreamsMs: 40_000,
  freshStarts: 7,
  coldKeys: 10_000,
  idleMs: 60_000,
  ledgerRounds: 9,
  ledgerCharges: 200_000,
  knownKeys: [10, 10_000, 1_000_000],
  storedCharges: [0, 1_000_000, 20_000_000],
  keysInRedis: 1_000_000,
  growthRounds: 7,
  growthMs: 4_000,
  soakMs: 3_600_000,
};

/** `LONG=1` measures longer, and more. */
export function choosePlan(env: NodeJS.ProcessEnv): Plan {
  return env['LONG'] === '1' ? LONG : SHORT;
}

/** Customers, each with one key. */
export const ACCOUNTS = 8;
