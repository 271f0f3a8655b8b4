import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { Quantiles } from '../stats/durations.ts';

/** One of the compared routes to the upstream. */
export interface Route {
  origin: string;
  /** Keys, used in rotation. */
  keys: string[];
  /** Further headers of every request, as names and values in turn. */
  headers?: string[];
}

/** The request of a run. */
export interface RequestSpec {
  /** The client's protocol. */
  client: ProtocolName;
  model: string;
  promptBytes: number;
  streamed: boolean;
  /** Length of the response; in a stream, also the number of events with text. */
  outputTokens: number;
  /** Delay before each token of a stream; 0 sends all at once. */
  tokenDelayMs: number;
  /** The expected status: 401 for a wrong key. */
  status: 200 | 401;
}

/** Commands to the load generator, which runs one at a time. */
export type LoadCommand =
  /** Keeps a fixed number of requests in progress, each response followed by the next request, for a time or until `requests`. */
  | { kind: 'closed'; route: Route; spec: RequestSpec; concurrency: number; durationMs: number; requests?: number }
  /** Requests start at random times (a Poisson process), regardless of those before. */
  | { kind: 'open'; route: Route; spec: RequestSpec; ratePerSecond: number; durationMs: number; seed: number }
  /** Opens streams and returns when each has its first event. */
  | { kind: 'hold'; route: Route; spec: RequestSpec; streams: number }
  /** Counts the events of the open streams. */
  | { kind: 'watch'; durationMs: number }
  /** Disconnects from the open streams. */
  | { kind: 'leave' };

/** The result of a command. */
export interface LoadResult {
  /** Requests with a complete response. */
  requests: number;
  /** Requests that were rejected, aborted, or had an unexpected response. */
  failures: number;
  /** A description of the first failure. */
  firstFailure: string | undefined;
  /** Milliseconds from the start of the first request to the end of the last one. */
  elapsedMs: number;
  /** Events received. */
  events: number;
  /** From the start of a request to the first byte of its body. */
  firstByte: Quantiles;
  /** From the start of a request to the end of its response. */
  latency: Quantiles;
}

export type LoadReply = { ok: true; result: LoadResult } | { ok: false; message: string };
