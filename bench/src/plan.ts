import type { RequestSpec } from './load/messages.ts';

/** Amounts and durations of the measurements, in milliseconds. */
export interface Plan {
  name: 'short' | 'long';
  /** Warm-up until the services' code is compiled, which takes some ten thousand requests. */
  warmUpMs: number;
  /** Warm-up of the proxy and the upstream, which are little code. */
  smallWarmUpMs: number;
  /** Buffered responses and short streams, with a fixed number of requests in progress. */
  bufferedRounds: number;
  streamRounds: number;
  loopMs: number;
  /** Time to first byte at half load. */
  firstByteRounds: number;
  firstByteMs: number;
  /** From the end of a response to its charge, at half load. */
  lookupRounds: number;
  lookupMs: number;
  /** Cost per event of an open stream. */
  eventRounds: number;
  eventMs: number;
  /** Charges settled through the ledger, compared with a plain insert of the same rows. */
  ledgerRounds: number;
  ledgerCharges: number;
}

const SHORT: Plan = {
  name: 'short',
  warmUpMs: 18_000,
  smallWarmUpMs: 3_000,
  bufferedRounds: 5,
  streamRounds: 3,
  loopMs: 2_000,
  firstByteRounds: 3,
  firstByteMs: 3_000,
  lookupRounds: 3,
  lookupMs: 4_000,
  eventRounds: 3,
  eventMs: 2_500,
  ledgerRounds: 3,
  ledgerCharges: 60_000,
};

const LONG: Plan = {
  name: 'long',
  warmUpMs: 30_000,
  smallWarmUpMs: 10_000,
  bufferedRounds: 15,
  streamRounds: 11,
  loopMs: 5_000,
  firstByteRounds: 11,
  firstByteMs: 8_000,
  lookupRounds: 7,
  lookupMs: 8_000,
  eventRounds: 9,
  eventMs: 6_000,
  ledgerRounds: 9,
  ledgerCharges: 200_000,
};

/** `LONG=1` measures longer. */
export function choosePlan(env: NodeJS.ProcessEnv): Plan {
  return env['LONG'] === '1' ? LONG : SHORT;
}

/** Requests in progress in a closed loop. */
export const CONCURRENCY = 32;
/** Customers, each with one key. */
export const ACCOUNTS = 8;

/** Charges looked up per second: enough for a quantile, with negligible load. */
export const LOOKUPS_PER_SECOND = 50;

/** A buffered response of 64 tokens. */
export const BUFFERED: RequestSpec = { protocol: 'openai-chat', streamed: false, outputTokens: 64, tokenDelayMs: 0 };
/** A short stream that sends all events at once. */
export const STREAM: RequestSpec = { protocol: 'openai-chat', streamed: true, outputTokens: 16, tokenDelayMs: 0 };

/** Open streams while events are counted, and the delay between two events of each. */
export const EVENT_STREAMS = 100;
export const EVENT_DELAY_MS = 20;
/** Delay between two events of each stream while memory is read. */
export const MEMORY_DELAY_MS = 500;
/** Open streams while memory is read, and their duration before it. */
export const MEMORY_STREAMS = 1_000;
export const MEMORY_SETTLE_MS = 3_000;
