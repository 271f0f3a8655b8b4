import { newToken } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import type { ResponseContext } from '@tollgate/protocols/interface/protocol';
import type { BufferBudget, Reservation } from '../shared/buffers/buffer-budget.ts';
import { withLifetime, withReport } from '../shared/catalogue/price-options.ts';
import { chargedNanos } from './charge.ts';
import type { Attempt, Exchange } from './exchange.ts';
import type { ResponseSink, UpstreamCall } from './upstream/call.ts';
import type { UpstreamFailure } from './upstream/failure.ts';

/**
 * The result of one attempt: the client has got the response, with the failure that interrupted it, if any; or nothing has
 * reached the client yet.
 */
export type AttemptResult =
  | { kind: 'started'; failure: UpstreamFailure | undefined }
  | { kind: 'failed'; failure: UpstreamFailure };

/** Receives the upstream's response of one attempt and sends it to the client. */
export interface ResponseReceiver extends ResponseSink {
  readonly progress: ResponseProgress;
  /** Passes in the receiver's upstream call. */
  attach(call: UpstreamCall): void;
  /** Ends the response because the process stops: what was read of it is charged. */
  stop(): void;
}

/** How far a receiver is. Its attempt waits for it. */
export class ResponseProgress {
  readonly #ended = Promise.withResolvers<AttemptResult>();
  #isStarted = false;

  /** Resolves when everything has ended, including the charge, or the attempt failed before the response was started. */
  get ended(): Promise<AttemptResult> {
    return this.#ended.promise;
  }

  /** The response is being sent to the client. */
  start(): void {
    this.#isStarted = true;
  }

  /** The attempt failed; ignored once the response is being sent to the client. */
  fail(failure: UpstreamFailure): void {
    if (!this.#isStarted) this.#ended.resolve({ kind: 'failed', failure });
  }

  /** Everything has ended, including the charge. */
  finish(failure?: UpstreamFailure): void {
    this.#ended.resolve({ kind: 'started', failure });
  }
}

/** Opens a reservation for the response of an exchange, which is released with its request. */
export function reserveResponse(buffers: BufferBudget, { key, context }: Exchange): Reservation {
  const reservation = buffers.open(key.accountId);
  context.admission?.onReleased(() => reservation.release());
  return reservation;
}

/**
 * What the protocols need to write the response of an exchange.
 *
 * @param attempt undefined if no provider was called
 */
export function responseContextOf(exchange: Exchange, attempt: Pick<Attempt, 'sent'> | undefined): ResponseContext {
  return {
    model: exchange.clientModel,
    created: Math.floor(exchange.context.startedAtMs / 1_000),
    now: () => Math.floor(Date.now() / 1_000),
    newId: newToken,
    costOf: (usage, details) => {
      const used = withReport(withLifetime(usage, attempt?.sent.cacheLifetime), details);
      return formatDollars(chargedNanos(exchange, attempt, used));
    },
  };
}
