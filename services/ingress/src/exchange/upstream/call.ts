import type { Timeouts } from '@tollgate/proto/router';
import { type Dispatcher, errors, Pool } from 'undici';
import { Cohort } from '../../shared/scheduling.ts';
import { withoutAddresses } from '../credentials/redaction.ts';
import { malformedResponse, type UpstreamFailure } from './failure.ts';

/** What a call may have received without delivering it, which no budget of buffers counts. */
const MAX_UNDELIVERED_BYTES = 16 * 1024;

export interface UpstreamRequest {
  origin: string;
  /** Path with its query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  timeouts: Timeouts;
  /** Time limit of the complete call. */
  totalMs: number;
}

export type UpstreamHeaders = Record<string, string | string[] | undefined>;

/** Receives the body of a response. Either `end` or `failed` is called last, once. */
export interface BodySink {
  data(chunk: Buffer): void;
  end(): void;
  failed(failure: UpstreamFailure): void;
}

/** Receives a response: a head, with a sink for the body that follows, or a failure before any head. */
export interface ResponseSink {
  head(status: number, headers: UpstreamHeaders): BodySink;
  failed(failure: UpstreamFailure): void;
}

/** A call in progress. */
export interface UpstreamCall {
  /** Reads no more data until `resume`; paused time does not count as silence. */
  pause(): void;
  resume(): void;
  /** Closes the connection. The sink is not called any more. */
  abort(): void;
}

/**
 * Keeps connections to providers alive, a pool for each origin. A pool has no limit of its own, because undici would queue further
 * calls without a time limit: a request makes one call at a time, and the number of open requests is limited.
 */
export class UpstreamClient {
  readonly #pools = new Map<string, Pool>();
  readonly #deliveries = new Cohort();

  call(request: UpstreamRequest, sink: ResponseSink): UpstreamCall {
    const call = new Call(sink, request.totalMs, this.#deliveries);
    this.#pool(request.origin, request.timeouts).dispatch(
      {
        path: request.path,
        method: 'POST',
        headers: request.headers,
        body: request.body,
        headersTimeout: request.timeouts.firstByteMs,
        bodyTimeout: request.timeouts.idleMs,
      },
      call,
    );
    return call;
  }

  /** Closes every connection and aborts open calls. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
    this.#pools.clear();
  }

  #pool(origin: string, timeouts: Timeouts): Pool {
    const name = `${origin} ${timeouts.connectMs}`;
    let pool = this.#pools.get(name);
    if (pool === undefined) {
      pool = new Pool(origin, {
        connect: { timeout: timeouts.connectMs },
        allowH2: false,
        pipelining: 1,
        keepAliveTimeout: 30_000,
      });
      this.#pools.set(name, pool);
    }
    return pool;
  }
}

/**
 * One call: translates the dispatcher's callbacks to the sink's, and enforces the time limit. What has been received of a
 * body is delivered in one piece at the end of the event loop's iteration, together with that of other calls, unless it is
 * large.
 */
class Call implements UpstreamCall, Dispatcher.DispatchHandler {
  readonly #sink: ResponseSink;
  readonly #timer: NodeJS.Timeout;
  readonly #deliveries: Cohort;
  #controller: Dispatcher.DispatchController | undefined;
  #body: BodySink | undefined;
  /** Not delivered yet. */
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #isEndReceived = false;
  #finished = false;
  #paused = false;

  constructor(sink: ResponseSink, totalMs: number, deliveries: Cohort) {
    this.#sink = sink;
    this.#deliveries = deliveries;
    this.#timer = setTimeout(() => this.#expire(totalMs), totalMs);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#finished) return;
    this.#finish();
    this.#controller?.abort(new Error('the call was aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#finished) controller.abort(new Error('the call was aborted'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (this.#finished || status < 200) return;
    try {
      this.#body = this.#sink.head(status, headers);
    } catch (error) {
      this.#failSink(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#finished) return;
    this.#receivedBytes += chunk.length;
    const isFirst = this.#received.push(chunk) === 1;
    // A large part is delivered at once, so that its sink can pause the call before more is read.
    if (this.#receivedBytes > MAX_UNDELIVERED_BYTES) this.#deliver();
    else if (isFirst) this.#deliveries.add(() => this.#deliver());
  }

  onResponseEnd(): void {
    if (this.#finished) return;
    this.#isEndReceived = true;
    if (this.#received.length === 0) this.#deliveries.add(() => this.#deliver());
  }

  #deliver(): void {
    const received = this.#received;
    this.#received = [];
    this.#receivedBytes = 0;
    const [only] = received;
    if (only !== undefined) this.#deliverData(received.length === 1 ? only : Buffer.concat(received));
    if (this.#isEndReceived && !this.#finished) this.#deliverEnd();
  }

  #deliverData(data: Buffer): void {
    if (this.#finished) return;
    try {
      this.#body?.data(data);
    } catch (error) {
      this.#failSink(error);
    }
  }

  #deliverEnd(): void {
    this.#finish();
    try {
      this.#body?.end();
    } catch (error) {
      this.#body?.failed(malformedResponse(error));
    }
  }

  /** Fails the call after its sink has thrown. */
  #failSink(error: unknown): void {
    const failure = malformedResponse(error);
    this.#fail(failure);
    this.#controller?.abort(new Error(failure.detail));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // Usually nothing is left: undici reports errors when the connection is closed, which is after deliveries.
    this.#deliver();
    this.#fail(failureOfError(error, this.#controller !== undefined));
  }

  #expire(totalMs: number): void {
    const failure: UpstreamFailure = { kind: 'timeout', detail: `the call took longer than ${totalMs} ms` };
    const controller = this.#controller;
    this.#fail(failure);
    controller?.abort(new Error(failure.detail));
  }

  #fail(failure: UpstreamFailure): void {
    if (this.#finished) return;
    this.#finish();
    (this.#body ?? this.#sink).failed(failure);
  }

  #finish(): void {
    this.#finished = true;
    clearTimeout(this.#timer);
  }
}

function failureOfError(error: Error, isConnected: boolean): UpstreamFailure {
  const timedOut =
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError;
  const detail = withoutAddresses(textOf(error));
  if (timedOut) return { kind: 'timeout', detail };
  return { kind: isConnected ? 'reset' : 'unreachable', detail };
}

/** The attempts at all addresses of a host fail together with an empty message. */
function textOf(error: Error): string {
  if (error.message !== '' || !('code' in error)) return error.message;
  return String(error.code);
}
