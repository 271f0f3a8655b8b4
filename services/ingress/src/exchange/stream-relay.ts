import { formatDollars } from '@tollgate/common/money';
import { DisconnectPolicy } from '@tollgate/proto/router';
import { claimsNoOutput, laterUsage, type ReportedFigures, type Usage } from '@tollgate/protocols/canonical/usage';
import { laterDetails, type UsageDetails } from '@tollgate/protocols/canonical/usage-report';
import type {
  ClientRequest,
  StreamProgress,
  StreamStep,
  StreamTransformer,
} from '@tollgate/protocols/interface/protocol';
import type { SseEvent } from '@tollgate/protocols/sse/event';
import { SseParser } from '@tollgate/protocols/sse/parse';
import type { IngressConfig } from '../config.ts';
import type { Reservation } from '../shared/buffers/buffer-budget.ts';
import { maxCostNanos, paidNanos } from '../shared/catalogue/request-price.ts';
import { apiErrors } from '../shared/errors/api-error.ts';
import type { CapacityReason } from '../shared/errors/capacity.ts';
import { clientErrorOf } from '../shared/errors/render.ts';
import { setWarnings } from '../shared/request/response.ts';
import type { ReceiverDependencies } from './buffered-response.ts';
import { chargeExchange } from './charge.ts';
import type { Attempt, Exchange } from './exchange.ts';
import { type MeteredUsage, meter, meterNothing } from './meter.ts';
import { ResponseProgress, type ResponseReceiver, reserveResponse } from './response-receiver.ts';
import { failureOf, interrupted, type StreamEnd, statusOfEnd } from './stream-end.ts';
import { KeepAlive, Opening } from './stream-timers.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from './upstream/call.ts';
import { collectErrorResponse, type ErrorReader } from './upstream/error-response.ts';
import { failureInResponse, responseTooLarge, STOPPING, toApiError, type UpstreamFailure } from './upstream/failure.ts';

/** Maximum size of an upstream event. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Maximum text kept for counting tokens where the upstream reports no usage; far longer than any response. */
const MAX_TEXT_CHARACTERS = 32 * 1024 * 1024;

/** Memory is reserved in steps of this size; most streams never need more than the first. */
const RESERVATION_STEP_BYTES = 64 * 1024;

/** Approximate characters per token, to estimate the progress of a response. */
const CHARACTERS_PER_TOKEN = 4;

export interface StreamRelayDependencies extends ReceiverDependencies {
  config: Pick<IngressConfig, 'STREAM_KEEP_ALIVE_MS'>;
}

/** What a relay needs for its request. */
export interface StreamRelayPlan {
  request: ClientRequest;
  transformer: StreamTransformer;
  warnings: readonly string[];
  errorReader: ErrorReader;
}

/**
 * Relays a stream event by event, records usage and text, and charges before the last event is sent.
 *
 * Nothing reaches the client before the response has content or has been open for a moment, so that another deployment may
 * still be tried; after it, a failure becomes an error event. When the client disconnects, or its response has ended at a stop
 * word that the provider does not know, the upstream is aborted or read to its end, depending on the model's `disconnectPolicy`.
 */
export class StreamRelay implements ResponseReceiver, BodySink {
  readonly progress = new ResponseProgress();
  readonly #deps: StreamRelayDependencies;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #plan: StreamRelayPlan;
  readonly #transformer: StreamTransformer;
  readonly #parser = new SseParser({ maxEventBytes: MAX_EVENT_BYTES });
  readonly #reservation: Reservation;
  #call: UpstreamCall | undefined;
  #keepAlive: KeepAlive | undefined;
  #committed = false;
  #ended = false;
  /** Whether the client has its text up to a stop word: the upstream is read on only for its usage. */
  #isStopped = false;
  #firstTokenMs = -1;
  #reported: Usage | undefined;
  #unreadable: ReportedFigures | undefined;
  #details: UsageDetails | undefined;
  /** Length of the text at the last report of output. */
  #reportedAt = 0;
  /** Searches seen so far. */
  #searches = 0;
  /** How often the model has read the conversation again so far. */
  #repeatedPrompts = 0;
  #text = '';
  #finishReason = '';
  #unsent: Buffer[] = [];
  readonly #opening = new Opening(() => this.#sendOpening());

  constructor(deps: StreamRelayDependencies, exchange: Exchange, attempt: Attempt, plan: StreamRelayPlan) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#attempt = attempt;
    this.#plan = plan;
    this.#transformer = plan.transformer;
    this.#reservation = reserveResponse(deps.responseBuffers, exchange);
  }

  attach(call: UpstreamCall): void {
    this.#call = call;
    this.#exchange.client.onClose(() => this.#clientDisconnected());
  }

  stop(): void {
    const isAbandoned = this.#committed && this.#exchange.client.isClosed;
    this.#end(isAbandoned ? { kind: 'abandoned' } : { kind: 'broken', failure: STOPPING });
  }

  head(status: number, headers: UpstreamHeaders): BodySink {
    this.#attempt.providerStatus = status;
    if (status !== 200) {
      return collectErrorResponse(status, headers, this.#plan.errorReader, (failure) => this.failed(failure));
    }
    const type = headers['content-type'];
    if (typeof type === 'string' && type.startsWith('text/event-stream')) return this;
    this.#call?.abort();
    this.failed({ kind: 'malformed', detail: 'the response to a streaming call is not an event stream' });
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
    const shortage = this.#reserveKept();
    if (shortage !== undefined) this.#end({ kind: 'broken', failure: responseTooLarge(shortage) });
  }

  end(): void {
    if (this.#ended) return;
    const rest = this.#parser.end();
    if (rest !== undefined) this.#relay([rest]);
    if (this.#ended) return;
    const out: Buffer[] = [];
    const last = this.#transformer.eof();
    const stop = last.kind === 'malformed' ? interrupted(last.problem) : this.#take(last, out);
    this.#unsent = out;
    this.#end(stop ?? interrupted('the stream ended before the response was complete'));
  }

  failed(failure: UpstreamFailure): void {
    if (!this.#ended) this.#end({ kind: 'broken', failure });
  }

  #relay(events: readonly SseEvent[]): void {
    const out: Buffer[] = [];
    let end: StreamEnd | undefined;
    for (const event of events) {
      end = this.#take(this.#transformer.push(event), out);
      // After a stop word the usage may be among what has already come.
      if (end !== undefined && end.kind !== 'stopped') break;
    }
    if (end === undefined) {
      this.#write(out);
      return;
    }
    // Output that arrives together with the end is sent with it, in one write, once the charge is in the journal.
    this.#unsent = out;
    this.#end(end);
  }

  /** Reserves memory for what is kept: the text, an incomplete event, and output that the client has not read yet. */
  #reserveKept(): CapacityReason | undefined {
    const kept = this.#text.length + this.#parser.keptBytes + this.#exchange.res.writableLength;
    const more = kept - this.#reservation.bytes;
    if (more <= RESERVATION_STEP_BYTES || this.#reservation.tryGrow(more)) return undefined;
    return this.#reservation.shortageFor(more);
  }

  /** Processes a step: appends its output to `out`, and returns the end of the response if it brings it. */
  #take(step: StreamStep, out: Buffer[]): StreamEnd | undefined {
    switch (step.kind) {
      case 'silent':
        if (this.#committed && step.bytes !== undefined) out.push(step.bytes);
        return undefined;
      case 'error':
        return { kind: 'broken', failure: failureInResponse(step.error) };
      case 'malformed':
        return { kind: 'broken', failure: { kind: 'malformed', detail: step.problem } };
      case 'opening':
        this.#details = laterDetails(this.#details, step.details);
        if (!this.#committed) this.#opening.hold(step.bytes);
        else if (step.bytes !== undefined) out.push(step.bytes);
        return undefined;
      case 'content':
      case 'end':
        if (!this.#committed) {
          this.#commit();
          out.push(...this.#opening.take());
        }
        this.#record(step);
        if (step.bytes !== undefined) out.push(step.bytes);
        if (step.isStopped === true) this.#isStopped = true;
        return step.kind === 'end' ? { kind: 'complete' } : this.#stopAfter();
      default:
        return step satisfies never;
    }
  }

  /** The response is open for long: the client gets what there is of it. */
  #sendOpening(): void {
    this.#commit();
    this.#write(this.#opening.take());
    const stop = this.#stopAfter();
    if (stop !== undefined) this.#end(stop);
  }

  /** Whether to end the response here: its client has all of it or has disconnected, or its text is too long. */
  #stopAfter(): StreamEnd | undefined {
    if (this.#text.length > MAX_TEXT_CHARACTERS) {
      const detail = `the response is longer than ${MAX_TEXT_CHARACTERS} characters`;
      return { kind: 'broken', failure: { kind: 'malformed', detail } };
    }
    const { isClosed } = this.#exchange.client;
    if (!isClosed && !this.#isStopped) return undefined;
    if (!this.#stopsWithClient() && !this.#holdIsUsedUp()) return undefined;
    return { kind: this.#isStopped ? 'stopped' : 'abandoned' };
  }

  /** Whether the hold is used up, so that reading on for nobody could not be charged. */
  #holdIsUsedUp(): boolean {
    const tokens = BigInt(Math.floor(this.#text.length / CHARACTERS_PER_TOKEN));
    const { hold, price } = this.#exchange;
    const delivered = { inputTokens: 0n, outputTokens: tokens, images: 0n, searches: 0n };
    return hold.nanos > 0n && maxCostNanos(price, delivered) >= hold.nanos;
  }

  #record(step: StreamProgress): void {
    this.#text += step.text;
    if (step.unreadable !== undefined) this.#unreadable = step.unreadable;
    if (step.details !== undefined) this.#details = laterDetails(this.#details, step.details);
    if (step.usage !== undefined) {
      this.#reported = laterUsage(this.#reported, step.usage);
      if (!claimsNoOutput(step.usage)) this.#reportedAt = this.#text.length;
    }
    if (step.searches !== undefined) this.#searches = step.searches;
    if (step.repeatedPrompts !== undefined) this.#repeatedPrompts = step.repeatedPrompts;
    if (step.finishReason !== '') this.#finishReason = step.finishReason;
  }

  /** The first event has been read: from now on this attempt is the response. */
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
    this.progress.start();
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
    const { entry, usesWebTools } = this.#exchange;
    return entry.model.disconnectPolicy !== DisconnectPolicy.DRAIN && !usesWebTools;
  }

  /**
   * The client has disconnected. Before the first event the upstream continues until then, so that the input it bills is
   * charged; after it, the call is aborted unless the provider bills the complete response anyway.
   */
  #clientDisconnected(): void {
    this.#keepAlive?.stop();
    if (this.#ended) return;
    if (this.#committed && this.#stopsWithClient()) this.#end({ kind: 'abandoned' });
    else this.#call?.resume();
  }

  #end(reached: StreamEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    // What is read on for usage cannot break the response, which the client has.
    const end: StreamEnd = reached.kind === 'broken' && this.#isStopped ? { kind: 'stopped' } : reached;
    this.#opening.end();
    this.#keepAlive?.stop();
    if (end.kind !== 'complete') this.#call?.abort();
    if (!this.#committed && end.kind !== 'abandoned') {
      this.progress.fail(failureOf(end));
      this.progress.finish();
      return;
    }
    this.#chargeAndClose(end).then(
      () => this.progress.finish(end.kind === 'broken' ? end.failure : undefined),
      (error: unknown) => {
        this.#deps.logger.error(
          { err: error, trace_id: this.#exchange.context.traceId },
          'a stream could not be charged',
        );
        this.#endWithError(error);
        this.progress.finish();
      },
    );
  }

  /** Ends a stream with an internal error. */
  #endWithError(error: unknown): void {
    const { res, client, context } = this.#exchange;
    if (client.isClosed || res.writableEnded) return;
    const internal = clientErrorOf(apiErrors.internal(error));
    res.end(this.#plan.request.encodeStreamError(internal, context.traceUuid));
  }

  async #chargeAndClose(end: StreamEnd): Promise<void> {
    const { res, client } = this.#exchange;
    const metered = await this.#meter(end);
    await chargeExchange(this.#deps, this.#exchange, this.#attempt, {
      status: statusOfEnd(end, client.isClosed),
      finishReason: this.#finishReason,
      firstTokenMs: this.#firstTokenMs,
      metered,
      failure: end.kind === 'broken' ? end.failure : undefined,
    });
    if (client.isClosed) return;
    res.end(Buffer.concat([...this.#unsent, this.#lastBytes(end, metered)]));
  }

  /** OpenAI begins a stream before it rejects a prompt that is too long, and bills nothing. */
  #wasRefused(end: StreamEnd): boolean {
    const isTooLong = end.kind === 'broken' && end.failure.kind === 'context_exceeded';
    return isTooLong && this.#text === '' && this.#reported === undefined;
  }

  #meter(end: StreamEnd): MeteredUsage | Promise<MeteredUsage> {
    if (this.#wasRefused(end)) return meterNothing(this.#exchange, this.#attempt.sent);
    // A report without output comes from the beginning.
    const isReported = end.kind === 'complete' && this.#reported !== undefined && !claimsNoOutput(this.#reported);
    return meter(
      {
        reported: this.#reported,
        unreadable: this.#unreadable,
        details: this.#details,
        text: this.#text,
        unreported: this.#text.slice(this.#reportedAt),
        sentBytes: this.#attempt.bodyBytes,
        searches: isReported ? 0 : this.#searches,
        repeatedPrompts: isReported ? 0 : this.#repeatedPrompts,
      },
      this.#exchange,
      this.#attempt.sent,
    );
  }

  /** The last bytes of the client's stream: everything held back, with usage and cost; or an error event. */
  #lastBytes(end: StreamEnd, metered: MeteredUsage): Buffer {
    if (end.kind === 'broken') {
      const error = clientErrorOf(toApiError(end.failure));
      const text = `${error.message.replace(' Nothing was charged.', '')} The response was interrupted; the delivered part is charged.`;
      return this.#plan.request.encodeStreamError({ ...error, message: text }, this.#exchange.context.traceUuid);
    }
    const cost = formatDollars(paidNanos(metered.priced.costNanos, this.#exchange.hold.nanos));
    return this.#transformer.close({ usage: metered.usage, estimated: metered.estimated, cost });
  }
}
