import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Maximum number of kept calls. */
const MAX_RECORDS = 1_000;
/** Default maximum length of kept bodies (in characters), so that all records together stay under 32 MiB of text. */
const MAX_KEPT_BODY = 32_768;

/**
 * `open`: the response has not ended. `aborted`: the caller disconnected first. `cut`: the simulator aborted it, as
 * controlled.
 */
export type CallState = 'open' | 'finished' | 'aborted' | 'cut';

/** One received call, as listed by `/_simulator/requests`. */
export interface CallRecord {
  /** Number of the call, from 1. */
  sequence: number;
  protocol: string;
  method: string;
  /** Path with query. */
  path: string;
  /** `authorization`, `x-api-key` and `x-goog-api-key` as `sha256:` and the hex digest of the value. */
  headers: IncomingHttpHeaders;
  /** 32 hex digits from `traceparent`; null when there was none. */
  trace_id: string | null;
  body_bytes: number;
  /** The body as text; null if longer than the recorder keeps, 32,768 characters by default. */
  body: string | null;
  /** 0 if no response was sent. */
  status: number;
  /** Events of a stream sent so far. */
  events: number;
  state: CallState;
}

export interface Stats {
  calls: number;
  /** Calls without a complete response. */
  open: number;
  /** Of these, streams. */
  open_streams: number;
  finished: number;
  /** The caller disconnected early. */
  aborted: number;
  /** Aborted by the simulator, as controlled. */
  cut: number;
}

const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key'] as const;

/** Keeps the latest calls and counts all. */
export class Recorder {
  readonly #records: CallRecord[] = [];
  readonly #maxKeptBody: number;
  #next = 0;
  readonly stats: Stats = { calls: 0, open: 0, open_streams: 0, finished: 0, aborted: 0, cut: 0 };

  constructor(maxKeptBody = MAX_KEPT_BODY) {
    this.#maxKeptBody = maxKeptBody;
  }

  begin(protocol: string, request: IncomingMessage): CallRecord {
    this.stats.calls += 1;
    this.stats.open += 1;
    const headers = request.headers;
    for (const name of SECRET_HEADERS) {
      const value = headers[name];
      if (typeof value === 'string') headers[name] = `sha256:${hash('sha256', value)}`;
    }
    const record: CallRecord = {
      sequence: this.stats.calls,
      protocol,
      method: request.method ?? '',
      path: request.url ?? '',
      headers,
      trace_id: traceIdOf(headers['traceparent']),
      body_bytes: 0,
      body: null,
      status: 0,
      events: 0,
      state: 'open',
    };
    this.#records[this.#next] = record;
    this.#next = (this.#next + 1) % MAX_RECORDS;
    return record;
  }

  keepBody(record: CallRecord, body: string, bytes: number): void {
    record.body_bytes = bytes;
    record.body = body.length <= this.#maxKeptBody ? body : null;
  }

  end(record: CallRecord, state: Exclude<CallState, 'open'>): void {
    if (record.state !== 'open') return;
    record.state = state;
    this.stats.open -= 1;
    this.stats[state] += 1;
  }

  /** The kept calls, oldest first; with an id, only those of that trace. */
  list(traceId?: string): CallRecord[] {
    const ordered = [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)];
    return traceId === undefined ? ordered : ordered.filter((record) => record.trace_id === traceId);
  }
}

function traceIdOf(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(header)?.[1] ?? null;
}
