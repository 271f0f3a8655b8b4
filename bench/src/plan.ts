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
  /** Rounds and durations of the streams of one pair of protocols. */
  pairRounds: number;
  pairMs: number;
  /** Time to a charge's record, at half load. */
  lookupRounds: number;
  lookupMs: number;
  /** Number of open streams, and how long their events are counted. */
  openStreams: number;
  openStreamsMs: number;
  /** Requests with a key each that the ingress has not seen. */
  coldKeys: number;
  /** Idle time after all load, before memory is read again. */
  idleMs: number;
  /** Charges settled through the ledger, compared with a plain insert of the same rows. */
  ledgerRounds: number;
  ledgerCharges: number;
}

const SHORT: Plan = {
  name: 'short',
  startedMs: 15_000,
  warmUpMs: 6_000,
  rounds: 3,
  roundMs: 2_500,
  pairRounds: 2,
  pairMs: 1_200,
  lookupRounds: 2,
  lookupMs: 4_000,
  openStreams: 1_000,
  openStreamsMs: 8_000,
  coldKeys: 2_000,
  idleMs: 60_000,
  ledgerRounds: 2,
  ledgerCharges: 60_000,
};

const LONG: Plan = {
  name: 'long',
  startedMs: 15_000,
  warmUpMs: 30_000,
  rounds: 11,
  roundMs: 6_000,
  pairRounds: 7,
  pairMs: 4_000,
  lookupRounds: 7,
  lookupMs: 8_000,
  openStreams: 1_000,
  openStreamsMs: 20_000,
  coldKeys: 10_000,
  idleMs: 60_000,
  ledgerRounds: 9,
  ledgerCharges: 200_000,
};

/** `LONG=1` measures longer, and more. */
export function choosePlan(env: NodeJS.ProcessEnv): Plan {
  return env['LONG'] === '1' ? LONG : SHORT;
}

/** Customers, each with one key. */
export const ACCOUNTS = 8;

/** Charges looked up per second: enough for a quantile, with negligible load. */
export const LOOKUPS_PER_SECOND = 50;
