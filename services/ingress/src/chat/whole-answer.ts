import { formatDollars } from '@tollgate/common/money';
import { ChargeStatus } from '@tollgate/proto/ledger';
import { type ChatCompletion, editChatAnswer, readChatAnswer } from '@tollgate/protocols/openai-chat/response-edits';
import type { Dependencies } from '../dependencies.ts';
import type { AttemptResult, Receiver } from '../exchange/attempts.ts';
import { charge, chargedNanos } from '../exchange/charge.ts';
import type { Attempt, Exchange } from '../exchange/exchange.ts';
import { meter } from '../exchange/metered.ts';
import { describeAnswer } from '../exchange/span-attributes.ts';
import { setWarnings } from '../http/warnings.ts';
import type { BodySink, UpstreamCall, UpstreamHeaders } from '../upstream/call.ts';
import type { UpstreamFailure } from '../upstream/failure.ts';
import { refusalOf } from '../upstream/refusal.ts';

/** Largest whole answer taken; beyond it the upstream is taken to be broken. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

type Deps = Pick<Dependencies, 'metrics' | 'logger'>;

/**
 * Takes a whole answer to the client: read to its end, charged, then sent. When the client leaves meanwhile the answer is
 * still read, since usage shows only at its end and the provider bills it anyway.
 */
export class WholeChatAnswer implements Receiver {
  readonly result: Promise<AttemptResult>;
  readonly finished: Promise<UpstreamFailure | undefined>;
  readonly #deps: Deps;
  readonly #exchange: Exchange;
  readonly #attempt: Attempt;
  readonly #settle: (result: AttemptResult) => void;
  readonly #finish: (failure: UpstreamFailure | undefined) => void;
  #call: UpstreamCall | undefined;

  constructor(deps: Deps, exchange: Exchange, attempt: Attempt) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#attempt = attempt;
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

  failed(failure: UpstreamFailure): void {
    this.#settle({ kind: 'failed', failure });
  }

  head(status: number, headers: UpstreamHeaders): BodySink {
    const chunks: Buffer[] = [];
    let size = 0;
    return {
      data: (chunk) => {
        size += chunk.length;
        if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
        else this.#giveUp(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
      },
      end: () => this.#answered(status, headers, Buffer.concat(chunks)),
      failed: (failure) => this.failed(failure),
    };
  }

  #giveUp(detail: string): void {
    this.#call?.abort();
    this.failed({ kind: 'malformed', detail });
  }

  #answered(status: number, headers: UpstreamHeaders, body: Buffer): void {
    const names = { upstream: this.#attempt.route.deployment.upstreamModel, client: this.#exchange.clientModel };
    if (status !== 200) {
      this.failed(refusalOf(status, headers, body, names, Date.now()));
      return;
    }
    const answer = readChatAnswer(body);
    switch (answer.kind) {
      case 'completion':
        this.#settle({ kind: 'answered' });
        this.#deliver(answer).then(
          () => this.#finish(undefined),
          (error: unknown) => this.#broken(error),
        );
        break;
      case 'error':
        this.failed({ kind: 'server_error', status, detail: answer.error.message });
        break;
      case 'malformed':
        this.failed({ kind: 'malformed', detail: answer.problem });
        break;
      default:
        answer satisfies never;
    }
  }

  async #deliver(answer: ChatCompletion): Promise<void> {
    const { res, client, context, entry, warnings } = this.#exchange;
    const metered = await meter({ reported: answer.usage, text: answer.text }, this.#exchange.countInput);
    const cost = formatDollars(chargedNanos(this.#exchange, metered.usage));
    const bytes = editChatAnswer(answer, {
      model: this.#exchange.clientModel,
      cost,
      usage: metered.estimated ? metered.usage : undefined,
    });
    const firstTokenMs = Math.round(performance.now() - context.startedAt);
    describeAnswer(this.#attempt.span, metered, answer.finishReason);
    this.#deps.metrics.timeToFirstToken(entry.model.modelId, firstTokenMs / 1_000);
    await charge(this.#deps.metrics, this.#exchange, this.#attempt, {
      status: client.hasLeft ? ChargeStatus.CANCELLED : ChargeStatus.COMPLETED,
      finishReason: answer.finishReason,
      firstTokenMs: client.hasLeft ? -1 : firstTokenMs,
      metered,
    });
    if (client.hasLeft) return;
    res.statusCode = 200;
    res.setHeader('content-type', 'application/json');
    res.setHeader('content-length', bytes.length);
    res.setHeader('x-request-cost', cost);
    setWarnings(res, warnings);
    res.end(bytes);
  }

  /** The answer was there and could not be charged or sent: our own fault, and the connection must not hang. */
  #broken(error: unknown): void {
    this.#deps.logger.error(
      { err: error, trace_id: this.#exchange.context.traceId },
      'an answer could not be delivered',
    );
    this.#exchange.res.destroy();
    this.#finish(undefined);
  }
}
