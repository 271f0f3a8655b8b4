import type { ResponseSink, UpstreamCall } from '../upstream/call.ts';
import type { UpstreamFailure } from '../upstream/failure.ts';

/** The result of one attempt: the response is being sent to the client, or nothing has reached the client yet. */
export type AttemptResult = { kind: 'started' } | { kind: 'failed'; failure: UpstreamFailure };

/** Receives the upstream's response of one attempt and sends it to the client. */
export interface ResponseReceiver extends ResponseSink {
  /** Passes in the receiver's upstream call. */
  attach(call: UpstreamCall): void;
  /** Ends the response because the process stops: what was read of it is charged. */
  stop(): void;
  /** Resolves when the response is being sent to the client, or the attempt failed before that. */
  readonly result: Promise<AttemptResult>;
  /** Resolves when everything has ended, including the charge, with the failure that interrupted the response, if any. */
  readonly finished: Promise<UpstreamFailure | undefined>;
}

/** The promises of a receiver, which its attempt waits for. */
export class ResponseProgress {
  readonly #result = Promise.withResolvers<AttemptResult>();
  readonly #finished = Promise.withResolvers<UpstreamFailure | undefined>();

  get result(): Promise<AttemptResult> {
    return this.#result.promise;
  }

  get finished(): Promise<UpstreamFailure | undefined> {
    return this.#finished.promise;
  }

  /** The response is being sent to the client. */
  start(): void {
    this.#result.resolve({ kind: 'started' });
  }

  /** The attempt failed before anything was sent to the client. */
  fail(failure: UpstreamFailure): void {
    this.#result.resolve({ kind: 'failed', failure });
  }

  /** Everything has ended, including the charge. */
  finish(failure?: UpstreamFailure): void {
    this.#finished.resolve(failure);
  }
}
