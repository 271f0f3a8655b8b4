import { formatDollars } from '@tollgate/common/money';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { DisconnectPolicy } from '@tollgate/proto/router';
import { encodeChatStreamError } from '@tollgate/protocols/openai-chat/errors';
import {
  ChatStreamEditor,
  type ChatStreamEvent,
  encodeChatUsageChunk,
  readChatEvent,
} from '@tollgate/protocols/openai-chat/stream-edits';
import type { SseEvent } from '@tollgate/protocols/sse/event';
import { SseParser } from '@tollgate/protocols/sse/parse';
import type { Usage } from '@tollgate/protocols/usage';
import type { Dependencies } from '../dependencies.ts';
import type { AttemptResult, Receiver } from '../exchange/attempts.ts';
import { charge, chargedNanos } from '../exchange/charge.ts';
import type { Attempt, Exchange } from '../exchange/exchange.ts';
import { isPlausible, type Metered, meter } from '../exchange/metered.ts';
import { describeAnswer } from '../exchange/span-attributes.ts';
import { setWarnings } from '../http/warnings.ts';
import { boundNanos } from '../pricing/price-sheet.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from '../upstream/call.ts';
import { toApiError, type UpstreamFailure } from '../upstream/failure.ts';
import { collectRefusal } from '../upstream/refusal.ts';

/** Largest single event taken from an upstream. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** Text is kept for counting it where the upstream reports no usage. No model's answer is nearly as long. */
const MAX_TEXT_CHARACTERS = 32 * 1024 * 1024;
/** What a token is worth in text, about, for judging how far an answer has come. */
const CHARACTERS_PER_TOKEN = 4;
const DONE = Buffer.from('data: [DONE]\n\n');

type Deps = Pick<Dependencies, 'metrics' | 'logger'>;

/** How an upstream's stream ended, as far as the answer goes. */
type StreamEnd =
  | { kind: 'complete' }
  /** The client left and the upstream was told to stop. */
  | { kind: 'abandoned' }
  | { kind: 'broken'; failure: UpstreamFailure };

/**
 * Relays a chat stream event by event, reads usage and text as they pass, and charges before the last event goes out.
 *
 * Until the first event of the answer has been read nothing reaches the client, so that another deployment may still be
 * tried; after it, a failure becomes an error event. When the client leaves, the upstream is aborted or read to its end,
 * as the model's entry in the catalogue says.
 */
export class ChatStreamRelay implements Receiver, BodySink {
  readonly result: Promise<AttemptResult>;
  readonly finished: Promise<UpstreamFailure | undefined>;
  readonly #deps: Deps;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #includeUsage: boolean;
  readonly #editor: ChatStreamEditor;
  readonly #parser = new SseParser({ maxEventBytes: MAX_EVENT_BYTES });
  readonly #settle: (result: AttemptResult) => void;
  readonly #finish: (failure: UpstreamFailure | undefined) => void;
  #call: UpstreamCall | undefined;
  #committed = false;
  #ended = false;
  #firstTokenMs = -1;
  #reported: Usage | undefined;
  #usageSent = false;
  #text = '';
  #finishReason = '';
  #lastChunk: Buffer | undefined;
  #unsent: Buffer[] = [];

  constructor(deps: Deps, exchange: Exchange, attempt: Attempt, includeUsage: boolean) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#attempt = attempt;
    this.#includeUsage = includeUsage;
    this.#editor = new ChatStreamEditor({ model: exchange.clientModel, includeUsage });
    const result = Promise.withResolvers<AttemptResult>();
    const finished = Promise.withResolvers<UpstreamFailure | undefined>();
    this.result = result.promise;
    this.finished = finished.promise;
    this.#settle = result.resolve;
    this.#finish = finished.resolve;
  }

  attach(call: UpstreamCall): void {
    this.#call = call;
    this.#exchange.client.onLeave(() => this.#clientLeft());
  }

  head(status: number, headers: UpstreamHeaders): BodySink {
    const names = { upstream: this.#attempt.route.deployment.upstreamModel, client: this.#exchange.clientModel };
    if (status !== 200) return collectRefusal(status, headers, names, (failure) => this.failed(failure));
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
    if (!parsed.ok)
      this.#end({
        kind: 'broken',
        failure: { kind: 'malformed', detail: `an event is larger than ${MAX_EVENT_BYTES} bytes` },
      });
  }

  end(): void {
    if (this.#ended) return;
    const rest = this.#parser.end();
    if (rest !== undefined) this.#relay([rest]);
    if (this.#ended) return;
    // Some upstreams leave out [DONE]; an answer whose choices have all ended is whole without it.
    if (this.#finishReason !== '') this.#end({ kind: 'complete' });
    else
      this.#end({ kind: 'broken', failure: { kind: 'connection', detail: 'the stream ended before the answer did' } });
  }

  failed(failure: UpstreamFailure): void {
    if (!this.#ended) this.#end({ kind: 'broken', failure });
  }

  #relay(events: readonly SseEvent[]): void {
    const out: Buffer[] = [];
    for (const event of events) {
      const read = readChatEvent(event);
      const stop = this.#take(read, out);
      if (stop === undefined) continue;
      // What comes together with the end goes out together with it, in one write, once the charge is in the journal.
      this.#unsent = out;
      this.#end(stop);
      return;
    }
    this.#write(out);
  }

  /** Notes what an event says and puts what the client gets of it into `out`; an end that it brings is returned. */
  #take(read: ChatStreamEvent, out: Buffer[]): StreamEnd | undefined {
    switch (read.kind) {
      case 'silent':
        if (this.#committed) out.push(read.event.raw);
        return undefined;
      case 'done':
        return { kind: 'complete' };
      case 'error':
        return { kind: 'broken', failure: { kind: 'server_error', status: 200, detail: read.error.message } };
      case 'malformed':
        return { kind: 'broken', failure: { kind: 'malformed', detail: 'an event of the stream is not a chat chunk' } };
      case 'delta':
      case 'usage':
        this.#commit();
        this.#note(read);
        this.#forward(read, out);
        return this.#stopAfter();
      default:
        return read satisfies never;
    }
  }

  /** Whether the answer is to be broken off here: its client has left, or it grows beyond what is kept. */
  #stopAfter(): StreamEnd | undefined {
    if (this.#text.length > MAX_TEXT_CHARACTERS) {
      const detail = `the answer is longer than ${MAX_TEXT_CHARACTERS} characters`;
      return { kind: 'broken', failure: { kind: 'malformed', detail } };
    }
    if (!this.#exchange.client.hasLeft) return undefined;
    return this.#stopsWithClient() || this.#holdIsUsedUp() ? { kind: 'abandoned' } : undefined;
  }

  /** Whether reading on for a client that has left could not be charged any more. */
  #holdIsUsedUp(): boolean {
    const tokens = BigInt(Math.floor(this.#text.length / CHARACTERS_PER_TOKEN));
    const { hold, entry } = this.#exchange;
    return hold.nanos > 0n && boundNanos(entry.price, 0n, tokens) >= hold.nanos;
  }

  #note(read: Extract<ChatStreamEvent, { kind: 'delta' | 'usage' }>): void {
    if (read.usage !== undefined) this.#reported = read.usage;
    this.#lastChunk = read.event.data;
    if (read.kind === 'usage') return;
    this.#text += read.text;
    if (read.finishReason !== '') this.#finishReason = read.finishReason;
  }

  #forward(read: Extract<ChatStreamEvent, { kind: 'delta' | 'usage' }>, out: Buffer[]): void {
    const observed = { reported: this.#reported, text: this.#text };
    const isReport = read.usage !== undefined && isPlausible(observed);
    // A usage chunk that cannot be true is kept back; the end sends one that was counted here.
    if (read.kind === 'usage' && !isReport) return;
    const cost =
      isReport && this.#includeUsage ? formatDollars(chargedNanos(this.#exchange, observed.reported)) : undefined;
    if (cost !== undefined) this.#usageSent = true;
    const bytes = this.#editor.edit(read, cost);
    if (bytes !== undefined) out.push(bytes);
  }

  /** The first event has been read: from now on this attempt is the answer. */
  #commit(): void {
    if (this.#committed) return;
    this.#committed = true;
    const { res, client, context, entry, warnings } = this.#exchange;
    if (!client.hasLeft) {
      this.#firstTokenMs = Math.round(performance.now() - context.startedAt);
      this.#deps.metrics.timeToFirstToken(entry.model.modelId, this.#firstTokenMs / 1_000);
      res.statusCode = 200;
      res.setHeader('content-type', 'text/event-stream; charset=utf-8');
      res.setHeader('cache-control', 'no-cache');
      res.setHeader('x-accel-buffering', 'no');
      setWarnings(res, warnings);
    }
    this.#settle({ kind: 'answered' });
  }

  #write(pieces: readonly Buffer[]): void {
    const [first] = pieces;
    if (first === undefined || this.#exchange.client.hasLeft) return;
    const { res } = this.#exchange;
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
    if (this.#ended) return;
    if (this.#committed && this.#stopsWithClient()) this.#end({ kind: 'abandoned' });
    else this.#call?.resume();
  }

  #end(end: StreamEnd): void {
    if (this.#ended) return;
    this.#ended = true;
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
        this.#exchange.res.destroy();
        this.#finish(undefined);
      },
    );
  }

  async #settleAndClose(end: StreamEnd): Promise<void> {
    const { res, client } = this.#exchange;
    const metered = await meter({ reported: this.#reported, text: this.#text }, this.#exchange.countInput);
    describeAnswer(this.#attempt.span, metered, this.#finishReason);
    await charge(this.#deps.metrics, this.#exchange, this.#attempt, {
      status: statusOfEnd(end, client.hasLeft),
      finishReason: this.#finishReason,
      firstTokenMs: this.#firstTokenMs,
      metered,
    });
    if (client.hasLeft) return;
    res.end(Buffer.concat([...this.#unsent, this.#lastBytes(end, metered)]));
  }

  /** What closes the client's stream: `[DONE]`, after the usage it asked for; or an error event. */
  #lastBytes(end: StreamEnd, metered: Metered): Buffer {
    if (end.kind === 'broken') {
      const { message, type, status, details } = toApiError(end.failure);
      const said = `${message.replace(' Nothing was charged.', '')} The answer broke off; what was delivered of it is charged.`;
      return encodeChatStreamError({ message: said, type, code: status, details }, this.#exchange.context.traceUuid);
    }
    if (!this.#includeUsage || this.#usageSent || this.#lastChunk === undefined) return DONE;
    const cost = formatDollars(chargedNanos(this.#exchange, metered.usage));
    const usage = encodeChatUsageChunk(this.#lastChunk, metered.usage, { model: this.#exchange.clientModel, cost });
    return Buffer.concat([usage, DONE]);
  }
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
