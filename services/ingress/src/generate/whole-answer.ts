import { formatDollars } from '@tollgate/common/money';
import { ChargeStatus } from '@tollgate/proto/ledger';
import type { ResponseResult, ResponseTransformer } from '@tollgate/protocols/protocol';
import { errorNames } from '@tollgate/protocols/upstream-error';
import type { Reservation } from '../buffers/buffer-budget.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { sendError } from '../errors/render.ts';
import { chargedNanos, chargeExchange } from '../exchange/charge.ts';
import type { Attempt, Exchange } from '../exchange/exchange.ts';
import { type MeteredUsage, meter } from '../exchange/meter.ts';
import { setResponseAttributes } from '../exchange/span-attributes.ts';
import type { AttemptResult, ResponseReceiver } from '../exchange/upstream-attempts.ts';
import { setWarnings } from '../http/warnings.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from '../upstream/call.ts';
import { type ErrorReader, toFailure } from '../upstream/error-response.ts';
import { malformedResponse, responseTooLarge, STOPPING, type UpstreamFailure } from '../upstream/failure.ts';

/** Largest whole answer taken; beyond it the upstream is taken to be broken. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

type Deps = Pick<Dependencies, 'metrics' | 'logger' | 'responseBuffers'>;
type Answer = Extract<ResponseResult, { kind: 'response' }>;

/** An answer in the client's words, with what it costs. */
interface WrittenAnswer {
  bytes: Buffer;
  metered: MeteredUsage;
  cost: string;
  finishReason: string;
}

/** What is needed to take a whole answer to its client. */
export interface WholePlan {
  passage: ResponseTransformer;
  warnings: readonly string[];
  refusals: ErrorReader;
}

/**
 * Takes a whole answer to the client: read to its end, charged, then sent. When the client leaves meanwhile the answer is
 * still read, since usage shows only at its end and the provider bills it anyway.
 */
export class WholeAnswer implements ResponseReceiver {
  readonly result: Promise<AttemptResult>;
  readonly finished: Promise<UpstreamFailure | undefined>;
  readonly #deps: Deps;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #plan: WholePlan;
  readonly #settle: (result: AttemptResult) => void;
  readonly #finish: (failure: UpstreamFailure | undefined) => void;
  readonly #reservation: Reservation;
  #call: UpstreamCall | undefined;

  constructor(deps: Deps, exchange: Exchange, attempt: Attempt, plan: WholePlan) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#attempt = attempt;
    this.#plan = plan;
    this.#reservation = deps.responseBuffers.open(exchange.key.accountId);
    exchange.context.admission?.onReleased(() => this.#reservation.release());
    const result = Promise.withResolvers<AttemptResult>();
    const finished = Promise.withResolvers<UpstreamFailure | undefined>();
    this.result = result.promise;
    this.finished = finished.promise;
    this.#settle = result.resolve;
    this.#finish = finished.resolve;
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
    this.#settle({ kind: 'failed', failure });
  }

  head(status: number, headers: UpstreamHeaders): BodySink {
    const chunks: Buffer[] = [];
    let size = 0;
    return {
      data: (chunk) => {
        size += chunk.length;
        if (size > MAX_ANSWER_BYTES) {
          this.#giveUp();
          return;
        }
        chunks.push(chunk);
        if (!this.#reservation.tryGrow(chunk.length)) this.#waitForRoom(chunk.length);
      },
      end: () => this.#answered(status, headers, Buffer.concat(chunks)),
      failed: (failure) => this.failed(failure),
    };
  }

  /** Reads on once there is room for what has come. */
  #waitForRoom(bytes: number): void {
    this.#call?.pause();
    void this.#reservation.grow(bytes).then((refusal) => {
      if (refusal === undefined) {
        this.#call?.resume();
        return;
      }
      this.#call?.abort();
      this.failed(responseTooLarge(refusal));
    });
  }

  /** Another deployment would answer as much, so that only the client can mend it. */
  #giveUp(): void {
    this.#call?.abort();
    const message = `The answer is larger than ${MAX_ANSWER_BYTES} bytes. Ask for less at once.`;
    this.failed({ kind: 'request_refused', status: 200, message });
  }

  #answered(status: number, headers: UpstreamHeaders, body: Buffer): void {
    if (status !== 200) {
      this.failed(toFailure(status, headers, body, this.#plan.refusals, Date.now()));
      return;
    }
    const answer = this.#plan.passage.transform(body);
    switch (answer.kind) {
      case 'response':
        this.#write(answer).then(
          (written) => this.#deliver(written),
          (error: unknown) => this.failed(malformedResponse(error)),
        );
        break;
      case 'error':
        this.failed({ kind: 'server_error', status, detail: errorNames(answer.error) });
        break;
      case 'malformed':
        this.failed({ kind: 'malformed', detail: answer.problem });
        break;
      default:
        answer satisfies never;
    }
  }

  async #write(answer: Answer): Promise<WrittenAnswer> {
    const { usage: reported, text } = answer;
    const { bodyBytes: sentBytes } = this.#attempt;
    const observed = { reported, unreadable: answer.unreadable, text, unreported: '', sentBytes };
    const metered = await meter(observed, this.#exchange);
    const cost = formatDollars(chargedNanos(this.#exchange, metered.usage));
    const bytes = answer.render({ usage: metered.usage, estimated: metered.estimated, cost });
    return { bytes, metered, cost, finishReason: answer.finishReason };
  }

  #deliver(written: WrittenAnswer): void {
    this.#settle({ kind: 'answered' });
    this.#chargeAndSend(written).then(
      () => this.#finish(undefined),
      (error: unknown) => this.#broken(error),
    );
  }

  async #chargeAndSend({ bytes, metered, cost, finishReason }: WrittenAnswer): Promise<void> {
    const { res, client, context, entry } = this.#exchange;
    const firstTokenMs = Math.round(performance.now() - context.startedAt);
    setResponseAttributes(this.#attempt, metered, finishReason);
    this.#deps.metrics.timeToFirstToken(entry.model.modelId, firstTokenMs / 1_000);
    await chargeExchange(this.#deps.metrics, this.#exchange, this.#attempt, {
      status: client.isClosed ? ChargeStatus.CANCELLED : ChargeStatus.COMPLETED,
      finishReason,
      firstTokenMs: client.isClosed ? -1 : firstTokenMs,
      metered,
    });
    if (client.isClosed) return;
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', bytes.length);
    res.setHeader('x-request-cost', cost);
    setWarnings(res, this.#plan.warnings);
    res.end(bytes);
  }

  /** The answer was there and could not be charged: our own fault, and the client must not wait. */
  #broken(error: unknown): void {
    this.#deps.logger.error(
      { err: error, trace_id: this.#exchange.context.traceId },
      'an answer could not be delivered',
    );
    const { res, client, context } = this.#exchange;
    if (res.headersSent) res.destroy();
    else if (!client.isClosed) sendError(res, apiErrors.internal(error), context.surface, context.traceUuid);
    this.#finish(undefined);
  }
}
