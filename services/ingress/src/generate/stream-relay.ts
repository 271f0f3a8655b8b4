import { formatDollars } from '@tollgate/common/money';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { DisconnectPolicy } from '@tollgate/proto/router';
import type { ClientRequest, StreamProgress, StreamStep, StreamTransformer } from '@tollgate/protocols/protocol';
import type { SseEvent } from '@tollgate/protocols/sse/event';
import { SseParser } from '@tollgate/protocols/sse/parse';
import { errorNames } from '@tollgate/protocols/upstream-error';
import type { ReportedFigures, Usage } from '@tollgate/protocols/usage';
import type { BudgetShortage, Reservation } from '../buffers/buffer-budget.ts';
import type { Dependencies } from '../dependencies.ts';
import { apiErrors } from '../errors/api-error.ts';
import { chargedNanos, chargeExchange } from '../exchange/charge.ts';
import type { Attempt, Exchange } from '../exchange/exchange.ts';
import { type MeteredUsage, meter } from '../exchange/meter.ts';
import { setResponseAttributes } from '../exchange/span-attributes.ts';
import type { AttemptResult, ResponseReceiver } from '../exchange/upstream-attempts.ts';
import { setWarnings } from '../http/warnings.ts';
import { maxCostNanos } from '../pricing/request-price.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from '../upstream/call.ts';
import { collectErrorResponse, type ErrorReader } from '../upstream/error-response.ts';
import { responseTooLarge, STOPPING, toApiError, type UpstreamFailure } from '../upstream/failure.ts';
import { KeepAlive } from './keep-alive.ts';

/** Largest single event taken from an upstream. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Text is kept for counting it where the upstream reports no usage. No model's answer is nearly as long. */
const MAX_TEXT_CHARACTERS = 32 * 1024 * 1024;

/** What a stream keeps is reserved in such steps; most never keep more than the first. */
const KEPT_STEP_BYTES = 64 * 1024;

/** What a token is worth in text, about, for judging how far an answer has come. */
const CHARACTERS_PER_TOKEN = 4;

type Deps = Pick<Dependencies, 'metrics' | 'logger' | 'responseBuffers'> & {
  config: Pick<Dependencies['config'], 'STREAM_KEEP_ALIVE_MS'>;
};

/** What a relay needs of the request whose answer it takes. */
export interface StreamPlan {
  request: ClientRequest;
  passage: StreamTransformer;
  warnings: readonly string[];
  refusals: ErrorReader;
}

/** How an upstream's stream ended, as far as the answer goes. */
type StreamEnd =
  | { kind: 'complete' }
  /** The client left and the upstream was told to stop. */
  | { kind: 'abandoned' }
  | { kind: 'broken'; failure: UpstreamFailure };

/**
 * Relays a stream event by event, reads usage and text as they pass, and charges before the last event goes out.
 *
 * Until the first event of the answer has been read nothing reaches the client, so that another deployment may still be
 * tried; after it, a failure becomes an error event. When the client leaves, the upstream is aborted or read to its end,
 * as the model's entry in the catalogue says.
 */
export class StreamRelay implements ResponseReceiver, BodySink {
  readonly result: Promise<AttemptResult>;
  readonly finished: Promise<UpstreamFailure | undefined>;
  readonly #deps: Deps;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #plan: StreamPlan;
  readonly #passage: StreamTransformer;
  readonly #parser = new SseParser({ maxEventBytes: MAX_EVENT_BYTES });
  readonly #settle: (result: AttemptResult) => void;
  readonly #finish: (failure: UpstreamFailure | undefined) => void;
  readonly #reservation: Reservation;
  #call: UpstreamCall | undefined;
  #keepAlive: KeepAlive | undefined;
  #committed = false;
  #ended = false;
  #firstTokenMs = -1;
  #reported: Usage | undefined;
  #unreadable: ReportedFigures | undefined;
  /** Characters of the text that had come by the last report. */
  #reportedAt = 0;
  #text = '';
  #finishReason = '';
  #unsent: Buffer[] = [];

  constructor(deps: Deps, exchange: Exchange, attempt: Attempt, plan: StreamPlan) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#attempt = attempt;
    this.#plan = plan;
    this.#passage = plan.passage;
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
    this.#exchange.client.onClose(() => this.#clientLeft());
  }

  stop(): void {
    const isAbandoned = this.#committed && this.#exchange.client.isClosed;
    this.#end(isAbandoned ? { kind: 'abandoned' } : { kind: 'broken', failure: STOPPING });
  }

  head(status: number, headers: UpstreamHeaders): BodySink {
    if (status !== 200) {
      return collectErrorResponse(status, headers, this.#plan.refusals, (failure) => this.failed(failure));
    }
    const type = headers['content-type'];
    if (typeof type === 'string' && type.startsWith('text/event-stream')) return this;
    this.#call?.abort();
    this.failed({ kind: 'malformed', detail: 'the answer to a streaming call is no event stream' });
    return this;
  }

  data(chunk: Buffer): void {
    if (this.#ended) return;
    const parsed = this.#parser.push(chunk);
    this.#relay(parsed.events);
    if (this.#ended) return;
    if (!parsed.ok) {
      const detail = `an event is larger than ${MAX_EVENT_BYTES} bytes`;
      this.#end({ kind: 'broken', failure: { kind: 'malformed', detail } });
      return;
    }
    const refusal = this.#keep();
    if (refusal !== undefined) this.#end({ kind: 'broken', failure: responseTooLarge(refusal) });
  }

  end(): void {
    if (this.#ended) return;
    const rest = this.#parser.end();
    if (rest !== undefined) this.#relay([rest]);
    if (this.#ended) return;
    const out: Buffer[] = [];
    const last = this.#passage.eof();
    const stop = last.kind === 'malformed' ? cutOff(last.problem) : this.#take(last, out);
    this.#unsent = out;
    this.#end(stop ?? cutOff('the stream ended before the answer did'));
  }

  failed(failure: UpstreamFailure): void {
    if (!this.#ended) this.#end({ kind: 'broken', failure });
  }

  #relay(events: readonly SseEvent[]): void {
    const out: Buffer[] = [];
    for (const event of events) {
      const stop = this.#take(this.#passage.push(event), out);
      if (stop === undefined) continue;
      // What comes together with the end goes out together with it, in one write, once the charge is in the journal.
      this.#unsent = out;
      this.#end(stop);
      return;
    }
    this.#write(out);
  }

  /** Reserves what is kept by now: the text, an event that is not whole yet, and what the client has not taken. */
  #keep(): BudgetShortage | undefined {
    const kept = this.#text.length + this.#parser.keptBytes + this.#exchange.res.writableLength;
    const more = kept - this.#reservation.bytes;
    if (more <= KEPT_STEP_BYTES || this.#reservation.tryGrow(more)) return undefined;
    return this.#reservation.shortageFor(more);
  }

  /** Notes what a step says and puts what the client gets of it into `out`; an end that it brings is returned. */
  #take(step: StreamStep, out: Buffer[]): StreamEnd | undefined {
    switch (step.kind) {
      case 'silent':
        if (this.#committed && step.bytes !== undefined) out.push(step.bytes);
        return undefined;
      case 'error':
        return { kind: 'broken', failure: { kind: 'server_error', status: 200, detail: errorNames(step.error) } };
      case 'malformed':
        return { kind: 'broken', failure: { kind: 'malformed', detail: step.problem } };
      case 'content':
      case 'end':
        this.#commit();
        this.#note(step);
        if (step.bytes !== undefined) out.push(step.bytes);
        return step.kind === 'end' ? { kind: 'complete' } : this.#stopAfter();
      default:
        return step satisfies never;
    }
  }

  /** Whether the answer is to be broken off here: its client has left, or it grows beyond what is kept. */
  #stopAfter(): StreamEnd | undefined {
    if (this.#text.length > MAX_TEXT_CHARACTERS) {
      const detail = `the answer is longer than ${MAX_TEXT_CHARACTERS} characters`;
      return { kind: 'broken', failure: { kind: 'malformed', detail } };
    }
    if (!this.#exchange.client.isClosed) return undefined;
    return this.#stopsWithClient() || this.#holdIsUsedUp() ? { kind: 'abandoned' } : undefined;
  }

  /** Whether reading on for a client that has left could not be charged any more. */
  #holdIsUsedUp(): boolean {
    const tokens = BigInt(Math.floor(this.#text.length / CHARACTERS_PER_TOKEN));
    const { hold, price } = this.#exchange;
    const unread = { inputTokens: 0n, outputTokens: tokens, images: 0n, searches: 0n };
    return hold.nanos > 0n && maxCostNanos(price, unread) >= hold.nanos;
  }

  #note(step: StreamProgress): void {
    this.#text += step.text;
    if (step.unreadable !== undefined) this.#unreadable = step.unreadable;
    if (step.usage !== undefined) {
      this.#reported = step.usage;
      this.#reportedAt = this.#text.length;
    }
    if (step.finishReason !== '') this.#finishReason = step.finishReason;
  }

  /** The first event has been read: from now on this attempt is the answer. */
  #commit(): void {
    if (this.#committed) return;
    this.#committed = true;
    const { res, client, context, entry } = this.#exchange;
    if (!client.isClosed) {
      this.#firstTokenMs = Math.round(performance.now() - context.startedAt);
      this.#deps.metrics.timeToFirstToken(entry.model.modelId, this.#firstTokenMs / 1_000);
      const { request, warnings } = this.#plan;
      res.statusCode = 200;
      res.setHeader('content-type', request.streamContentType);
      res.setHeader('cache-control', 'no-cache');
      res.setHeader('x-accel-buffering', 'no');
      setWarnings(res, warnings);
      if (request.keepAlive !== undefined) {
        this.#keepAlive = new KeepAlive(res, request.keepAlive, this.#deps.config.STREAM_KEEP_ALIVE_MS);
      }
    }
    this.#settle({ kind: 'answered' });
  }

  #write(pieces: readonly Buffer[]): void {
    const [first] = pieces;
    if (first === undefined || this.#exchange.client.isClosed) return;
    const { res } = this.#exchange;
    this.#keepAlive?.written();
    const flowing = res.write(pieces.length === 1 ? first : Buffer.concat(pieces));
    if (flowing || this.#ended) return;
    this.#call?.pause();
    res.once('drain', () => this.#call?.resume());
  }

  #stopsWithClient(): boolean {
    return this.#exchange.entry.model.disconnectPolicy !== DisconnectPolicy.DRAIN;
  }

  /**
   * The client has left. Before the first event the upstream is let go on until then, so that what it bills for the input
   * is charged; after it, the call is aborted unless the provider bills the whole answer anyway.
   */
  #clientLeft(): void {
    this.#keepAlive?.stop();
    if (this.#ended) return;
    if (this.#committed && this.#stopsWithClient()) this.#end({ kind: 'abandoned' });
    else this.#call?.resume();
  }

  #end(end: StreamEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#keepAlive?.stop();
    if (end.kind !== 'complete') this.#call?.abort();
    if (!this.#committed && end.kind !== 'abandoned') {
      this.#settle({ kind: 'failed', failure: failureOf(end) });
      this.#finish(undefined);
      return;
    }
    this.#settleAndClose(end).then(
      () => this.#finish(end.kind === 'broken' ? end.failure : undefined),
      (error: unknown) => {
        this.#deps.logger.error(
          { err: error, trace_id: this.#exchange.context.traceId },
          'a stream could not be charged',
        );
        this.#breakOff(error);
        this.#finish(undefined);
      },
    );
  }

  /** Ends a stream that we cannot end as it should, by our own fault. */
  #breakOff(error: unknown): void {
    const { res, client, context } = this.#exchange;
    if (client.isClosed || res.writableEnded) return;
    const { message, type, status, details } = apiErrors.internal(error);
    res.end(this.#plan.request.encodeStreamError({ message, type, code: status, details }, context.traceUuid));
  }

  async #settleAndClose(end: StreamEnd): Promise<void> {
    const { res, client } = this.#exchange;
    const metered = await meter(
      {
        reported: this.#reported,
        unreadable: this.#unreadable,
        text: this.#text,
        unreported: this.#text.slice(this.#reportedAt),
        sentBytes: this.#attempt.bodyBytes,
      },
      this.#exchange,
    );
    setResponseAttributes(this.#attempt, metered, this.#finishReason);
    await chargeExchange(this.#deps.metrics, this.#exchange, this.#attempt, {
      status: statusOfEnd(end, client.isClosed),
      finishReason: this.#finishReason,
      firstTokenMs: this.#firstTokenMs,
      metered,
    });
    if (client.isClosed) return;
    res.end(Buffer.concat([...this.#unsent, this.#lastBytes(end, metered)]));
  }

  /** What closes the client's stream: all that was kept back, with usage and cost; or an error event. */
  #lastBytes(end: StreamEnd, metered: MeteredUsage): Buffer {
    if (end.kind === 'broken') {
      const { message, type, status, details } = toApiError(end.failure);
      const said = `${message.replace(' Nothing was charged.', '')} The answer broke off; what was delivered of it is charged.`;
      const error = { message: said, type, code: status, details };
      return this.#plan.request.encodeStreamError(error, this.#exchange.context.traceUuid);
    }
    const cost = formatDollars(chargedNanos(this.#exchange, metered.usage));
    return this.#passage.close({ usage: metered.usage, estimated: metered.estimated, cost });
  }
}

function cutOff(detail: string): StreamEnd {
  return { kind: 'broken', failure: { kind: 'connection', detail } };
}

function failureOf(end: StreamEnd): UpstreamFailure {
  return end.kind === 'broken' ? end.failure : { kind: 'malformed', detail: 'the stream ended without an answer' };
}

function statusOfEnd(end: StreamEnd, clientLeft: boolean): ChargeStatus {
  switch (end.kind) {
    case 'complete':
      return clientLeft ? ChargeStatus.CANCELLED : ChargeStatus.COMPLETED;
    case 'abandoned':
      return ChargeStatus.CANCELLED;
    case 'broken':
      return ChargeStatus.FAILED;
    default:
      return end satisfies never;
  }
}
