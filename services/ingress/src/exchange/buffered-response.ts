import type { Logger } from '@tollgate/common/logging';
import { formatDollars } from '@tollgate/common/money';
import { ChargeStatus } from '@tollgate/proto/ledger';
import type { ResponseResult, ResponseTransformer } from '@tollgate/protocols/interface/protocol';
import type { BufferBudget, Reservation } from '../shared/buffers/buffer-budget.ts';
import { paidNanos } from '../shared/catalogue/request-price.ts';
import { apiErrors } from '../shared/errors/api-error.ts';
import { sendError } from '../shared/errors/render.ts';
import { sendBody, setWarnings } from '../shared/request/response.ts';
import { type ChargeDependencies, chargeExchange } from './charge.ts';
import type { Attempt, Exchange } from './exchange.ts';
import { type MeteredUsage, meter } from './meter.ts';
import { ResponseProgress, type ResponseReceiver, reserveResponse } from './response-receiver.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from './upstream/call.ts';
import { type ErrorReader, toFailure } from './upstream/error-response.ts';
import {
  failureInResponse,
  malformedResponse,
  responseTooLarge,
  STOPPING,
  type UpstreamFailure,
} from './upstream/failure.ts';

/** Maximum size of a buffered response; a larger one counts as a fault of the upstream. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

export interface ReceiverDependencies extends ChargeDependencies {
  logger: Logger;
  responseBuffers: BufferBudget;
}
type UpstreamResponse = Extract<ResponseResult, { kind: 'response' }>;

/** A response in the client's protocol, with its cost. */
interface RenderedResponse {
  bytes: Buffer;
  metered: MeteredUsage;
  cost: string;
  finishReason: string;
}

/** What a buffered response needs for its request. */
export interface BufferedResponsePlan {
  transformer: ResponseTransformer;
  warnings: readonly string[];
  errorReader: ErrorReader;
}

/**
 * Reads a response to its end, charges it, then sends it to the client. It is read even if the client disconnects, because
 * its usage comes last and the provider bills it anyway.
 */
export class BufferedResponse implements ResponseReceiver, BodySink {
  readonly progress = new ResponseProgress();
  readonly #deps: ReceiverDependencies;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #plan: BufferedResponsePlan;
  readonly #reservation: Reservation;
  readonly #chunks: Buffer[] = [];
  #call: UpstreamCall | undefined;
  #headers: UpstreamHeaders = {};
  #size = 0;

  constructor(deps: ReceiverDependencies, exchange: Exchange, attempt: Attempt, plan: BufferedResponsePlan) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#attempt = attempt;
    this.#plan = plan;
    this.#reservation = reserveResponse(deps.responseBuffers, exchange);
  }

  attach(call: UpstreamCall): void {
    this.#call = call;
  }

  stop(): void {
    this.#call?.abort();
    this.failed(STOPPING);
  }

  failed(failure: UpstreamFailure): void {
    this.#reservation.release();
    this.progress.fail(failure);
  }

  head(status: number, headers: UpstreamHeaders): BodySink {
    this.#attempt.providerStatus = status;
    this.#headers = headers;
    return this;
  }

  data(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > MAX_RESPONSE_BYTES) {
      this.#rejectTooLarge();
      return;
    }
    this.#chunks.push(chunk);
    if (!this.#reservation.tryGrow(chunk.length)) this.#waitForMemory(chunk.length);
  }

  /** Pauses until there is memory for the bytes that have come. */
  #waitForMemory(bytes: number): void {
    this.#call?.pause();
    void this.#reservation.grow(bytes).then((shortage) => {
      if (shortage === undefined) {
        this.#call?.resume();
        return;
      }
      this.#call?.abort();
      this.failed(responseTooLarge(shortage));
    });
  }

  /** Another deployment's response would be as large, so only the client can fix this. */
  #rejectTooLarge(): void {
    this.#call?.abort();
    const message = `The response is larger than ${MAX_RESPONSE_BYTES} bytes. Request less output at once.`;
    this.failed({ kind: 'response_too_large', message });
  }

  end(): void {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    const status = this.#attempt.providerStatus;
    if (status !== 200) {
      this.failed(toFailure(status, this.#headers, body, this.#plan.errorReader, Date.now()));
      return;
    }
    const response = this.#plan.transformer.transform(body);
    switch (response.kind) {
      case 'response':
        this.#meter(response);
        break;
      case 'error':
        this.failed(failureInResponse(response.error));
        break;
      case 'malformed':
        this.failed({ kind: 'malformed', detail: response.problem });
        break;
      default:
        response satisfies never;
    }
  }

  #meter(response: UpstreamResponse): void {
    const { usage: reported } = response;
    const observed = {
      reported,
      unreadable: response.unreadable,
      details: response.details,
      text: response.text,
      unreported: '',
      sentBytes: this.#attempt.bodyBytes,
      searches: reported === undefined ? (response.searches ?? 0) : 0,
      repeatedPrompts: reported === undefined ? (response.repeatedPrompts ?? 0) : 0,
    };
    const metered = meter(observed, this.#exchange, this.#attempt.sent);
    if (!(metered instanceof Promise)) {
      this.#deliver(response, metered);
      return;
    }
    metered
      .then((counted) => this.#deliver(response, counted))
      .catch((error: unknown) => this.failed(malformedResponse(error)));
  }

  #deliver(response: UpstreamResponse, metered: MeteredUsage): void {
    const rendered = this.#render(response, metered);
    this.progress.start();
    this.#chargeAndSend(rendered).then(
      () => this.progress.finish(),
      (error: unknown) => this.#internalError(error),
    );
  }

  #render({ render, finishReason }: UpstreamResponse, metered: MeteredUsage): RenderedResponse {
    const cost = formatDollars(paidNanos(metered.priced.costNanos, this.#exchange.hold.nanos));
    return { bytes: render({ usage: metered.usage, estimated: metered.estimated, cost }), metered, cost, finishReason };
  }

  async #chargeAndSend({ bytes, metered, cost, finishReason }: RenderedResponse): Promise<void> {
    const { res, client, context, entry } = this.#exchange;
    const firstTokenMs = Math.round(performance.now() - context.startedAt);
    this.#deps.metrics.timeToFirstToken(entry.model.modelId, firstTokenMs / 1_000);
    await chargeExchange(this.#deps, this.#exchange, this.#attempt, {
      status: client.isClosed ? ChargeStatus.CANCELLED : ChargeStatus.COMPLETED,
      finishReason,
      firstTokenMs: client.isClosed ? -1 : firstTokenMs,
      metered,
      failure: undefined,
    });
    if (client.isClosed) return;
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('x-request-cost', cost);
    setWarnings(res, this.#plan.warnings);
    sendBody(res, bytes);
  }

  /** The response could not be charged: an internal error, which the client gets instead. */
  #internalError(error: unknown): void {
    this.#deps.logger.error(
      { err: error, trace_id: this.#exchange.context.traceId },
      'a response could not be delivered',
    );
    const { res, client, context } = this.#exchange;
    if (res.headersSent) res.destroy();
    else if (!client.isClosed) sendError(res, apiErrors.internal(error), context.surface, context.traceUuid);
    this.progress.finish();
  }
}
