/** One of the ways to the upstream that are compared. */
export interface Way {
  origin: string;
  /** Keys that requests carry in turn. */
  keys: string[];
}

/** What every request of a run asks for. */
export interface Ask {
  /** The protocol spoken by the client; the upstream always speaks chat-completions. */
  protocol: 'openai-chat' | 'anthropic-messages';
  streamed: boolean;
  /** Length of the response; in a stream, as many events with text. */
  outputTokens: number;
  /** Wait before each token of a stream; 0 sends them all at once. */
  tokenDelayMs: number;
}

/** Commands to the load generator; one runs at a time. */
export type LoadCommand =
  /** A fixed number of requests are in progress at any time: each response is followed by the next request. */
  | { kind: 'closed'; way: Way; ask: Ask; concurrency: number; durationMs: number }
  /** Requests begin at random moments (a Poisson process) regardless of those before. */
  | { kind: 'open'; way: Way; ask: Ask; ratePerSecond: number; durationMs: number; seed: number }
  /** The same, and next to it requests whose charges are looked up as soon as they are answered. */
  | {
      kind: 'lookup';
      way: Way;
      ask: Ask;
      ratePerSecond: number;
      lookupsPerSecond: number;
      durationMs: number;
      seed: number;
    }
  /** Health checks, one after the other. */
  | { kind: 'probe'; way: Way; durationMs: number }
  /** Opens streams and returns when the first event of each has come. */
  | { kind: 'hold'; way: Way; ask: Ask; streams: number }
  /** Counts the events that come in on the streams held. */
  | { kind: 'watch'; durationMs: number }
  /** Leaves the streams held, before their end. */
  | { kind: 'leave' };

/** What a command came to. */
export interface LoadResult {
  /** Requests answered whole. */
  requests: number;
  /** Requests refused, aborted, or answered with something that is not what was asked for. */
  failures: number;
  /** The first failure in words. */
  firstFailure: string | undefined;
  /** From the first request's start to the last one's end. Milliseconds. */
  elapsedMs: number;
  /** Events that came in. */
  events: number;
  /** Milliseconds to the first byte of the body, one a request, of open loops; to the response of each health check. */
  firstByteMs: number[];
  /** Milliseconds from the end of a response to its charge found, one a lookup. */
  lookupMs: number[];
}

export type LoadReply = { ok: true; result: LoadResult } | { ok: false; message: string };
