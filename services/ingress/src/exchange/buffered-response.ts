import type { Logger } from '@tollgate/common/logging';
import { formatDollars } from '@tollgate/common/money';
import { ChargeStatus } from '@tollgate/proto/ledger';
import type { ResponseResult, ResponseTransformer } from '@tollgate/protocols/interface/protocol';
import type { BufferBudget, Reservation } from '../buffers/buffer-budget.ts';
import { apiErrors } from '../errors/api-error.ts';
import { sendError } from '../errors/render.ts';
import { sendBody, setWarnings } from '../http/response.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from '../upstream/call.ts';
import { type ErrorReader, toFailure } from '../upstream/error-response.ts';
import {
  failureInResponse,
  malformedResponse,
  responseTooLarge,
  STOPPING,
  type UpstreamFailure,
} from '../upstream/failure.ts';
import { type ChargeDependencies, chargedNanos, chargeExchange } from './charge.ts';
import type { Attempt, Exchange } from './exchange.ts';
import { type MeteredUsage, meter } from './meter.ts';
import { ResponseProgress, type ResponseReceiver, reserveResponse } from './response-receiver.ts';

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
export class BufferedResponse implements ResponseReceiver {
  readonly progress = new ResponseProgress();
  readonly #deps: ReceiverDependencies;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #plan: BufferedResponsePlan;
  readonly #reservation: Reservation;
  #call: UpstreamCall | undefined;

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
    const chunks: Buffer[] = [];
    let size = 0;
    return {
      data: (chunk) => {
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) {
          this.#rejectTooLarge();
          return;
        }
        chunks.push(chunk);
        if (!this.#reservation.tryGrow(chunk.length)) this.#waitForMemory(chunk.length);
      },
      end: () => this.#received(status, headers, Buffer.concat(chunks)),
      failed: (failure) => this.failed(failure),
    };
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
    this.failed({ kind: 'request_refused', status: 200, message });
  }

  #received(status: number, headers: UpstreamHeaders, body: Buffer): void {
    if (status !== 200) {
      this.failed(toFailure(status, headers, body, this.#plan.errorReader, Date.now()));
      return;
    }
    const response = this.#plan.transformer.transform(body);
    switch (response.kind) {
      case 'response':
        this.#render(response).then(
          (rendered) => this.#deliver(rendered),
          (error: unknown) => this.failed(malformedResponse(error)),
        );
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

  async #render(response: UpstreamResponse): Promise<RenderedResponse> {
    const { usage: reported, text } = response;
    const { bodyBytes: sentBytes } = this.#attempt;
    const { unreadable, details } = response;
    const { searches = 0, repeatedPrompts = 0 } = reported === undefined ? response : {};
    const observed = { reported, unreadable, details, text, unreported: '', sentBytes, searches, repeatedPrompts };
    const metered = await meter(observed, this.#exchange, this.#attempt.sent);
    const cost = formatDollars(chargedNanos(this.#exchange, this.#attempt, metered.usage));
    const bytes = response.render({ usage: metered.usage, estimated: metered.estimated, cost });
    return { bytes, metered, cost, finishReason: response.finishReason };
  }

  #deliver(rendered: RenderedResponse): void {
    this.progress.start();
    this.#chargeAndSend(rendered).then(
      () => this.progress.finish(),
      (error: unknown) => this.#internalError(error),
    );
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
