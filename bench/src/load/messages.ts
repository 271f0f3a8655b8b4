/** One of the compared routes to the upstream. */
export interface Route {
  origin: string;
  /** Keys, used in rotation. */
  keys: string[];
}

/** The request of a run. */
export interface RequestSpec {
  /** The client's protocol; the upstream's is always openai-chat. */
  protocol: 'openai-chat' | 'anthropic-messages';
  streamed: boolean;
  /** Length of the response; in a stream, also the number of events with text. */
  outputTokens: number;
  /** Delay before each token of a stream; 0 sends all at once. */
  tokenDelayMs: number;
}

/** Commands to the load generator, which runs one at a time. */
export type LoadCommand =
  /** Keeps a fixed number of requests in progress: each response is followed by the next request. */
  | { kind: 'closed'; route: Route; spec: RequestSpec; concurrency: number; durationMs: number }
  /** Requests start at random times (a Poisson process), regardless of those before. */
  | { kind: 'open'; route: Route; spec: RequestSpec; ratePerSecond: number; durationMs: number; seed: number }
  /** The same, and beside it requests whose charges are looked up after the response. */
  | {
      kind: 'lookup';
      route: Route;
      spec: RequestSpec;
      ratePerSecond: number;
      lookupsPerSecond: number;
      durationMs: number;
      seed: number;
    }
  /** Health checks, one after the other. */
  | { kind: 'probe'; route: Route; durationMs: number }
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
  /** Milliseconds to the first byte of the body, one per request, in open loops; to each health check's response. */
  firstByteMs: number[];
  /** Milliseconds from the end of a response to its charge, one per lookup. */
  lookupMs: number[];
}

export type LoadReply = { ok: true; result: LoadResult } | { ok: false; message: string };
