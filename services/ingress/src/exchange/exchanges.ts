import type { Logger } from '@tollgate/common/logging';
import type { RouterServiceClient } from '@tollgate/proto/router';
import { WEB_TOOL_KINDS } from '@tollgate/protocols/interface/hosted-tools';
import type { ClientRequest } from '@tollgate/protocols/interface/protocol';
import type { IngressConfig } from '../config.ts';
import type { BufferBudget } from '../shared/buffers/buffer-budget.ts';
import type { Route } from '../shared/catalogue/route-table.ts';
import { ApiError } from '../shared/errors/api-error.ts';
import { clientErrorOf } from '../shared/errors/render.ts';
import type { Metrics } from '../shared/metrics.ts';
import { keyOf, type RequestContext, type TollgateResponse } from '../shared/request/request-context.ts';
import type { Wallet } from '../wallet/index.ts';
import { setCapHeaders } from './cap-headers.ts';
import { CatalogueGaps } from './catalogue-gaps.ts';
import { recordFailure } from './charge.ts';
import { ClientConnection, type Exchange } from './exchange.ts';
import { OpenCalls } from './open-calls.ts';
import { OutcomeReporter } from './outcome-reporter.ts';
import { responseContextOf } from './response-receiver.ts';
import { type CallCost, type GrantedHold, takeHold } from './take-hold.ts';
import { askProvider, type ProviderAccess, type Question, type Reply } from './upstream/ask.ts';
import { type AttemptDependencies, type AttemptPlan, makeAttempts } from './upstream-attempts.ts';

export interface ExchangesOptions {
  wallet: Wallet;
  /** Learns how calls of providers ended. */
  router: RouterServiceClient;
  providers: ProviderAccess;
  /** Memory for responses that are buffered or kept for later requests. */
  responseBuffers: BufferBudget;
  metrics: Metrics;
  logger: Logger;
  config: Pick<IngressConfig, 'CONSOLE_URL' | 'MAX_REQUEST_MS' | 'RECHARGE_URL' | 'STREAM_KEEP_ALIVE_MS'>;
}

/** A planned call: what it may cost, and what it sends. */
export interface PlannedCall
  extends Pick<Exchange, 'entry' | 'clientModel' | 'operation' | 'protocolIn' | 'streamed' | 'countInput'> {
  cost: CallCost;
  /** The endpoint's status for an insufficient balance. */
  insufficientStatus: 400 | 402;
  /** Its attempts, in order, with what the hold pays for. */
  attempts: (granted: GrantedHold) => readonly AttemptPlan[] | Promise<readonly AttemptPlan[]>;
  /** How it reports an error where its clients recognize errors only in a stream; undefined if they never do. */
  errorStream?: ErrorStream | undefined;
}

const OUTCOMES_GRACE_MS = 1_000;

/** Makes paid calls, each from its hold to its charge. */
export class Exchanges {
  readonly #options: ExchangesOptions;
  readonly #deps: AttemptDependencies;

  constructor(options: ExchangesOptions) {
    const { router, logger, metrics } = options;
    this.#options = options;
    this.#deps = {
      ...options,
      outcomes: new OutcomeReporter(router, logger),
      openCalls: new OpenCalls(),
      catalogueGaps: new CatalogueGaps(logger, metrics),
    };
  }

  /**
   * Makes a call for a client: holds its maximum cost, tries its attempts until one is responded to, sends the response and charges
   * for it. Does nothing more once the client has disconnected before the hold.
   *
   * @throws ApiError as `takeHold` does, or when no deployment responded
   */
  async make(res: TollgateResponse, call: PlannedCall): Promise<void> {
    const client = new ClientConnection(res);
    const granted = await this.#hold(res.locals.context, client, call);
    if (granted === undefined) return;
    setCapHeaders(res, granted.hold, keyOf(res.locals.context), Date.now());
    const exchange = exchangeOf(res, client, call, granted);
    try {
      await this.#run(exchange, () => call.attempts(granted));
    } catch (error) {
      if (!sendErrorStream(exchange, call.errorStream, error)) throw error;
    }
  }

  #hold(context: RequestContext, { signal }: ClientConnection, call: PlannedCall): Promise<GrantedHold | undefined> {
    const { wallet, config } = this.#options;
    return takeHold(wallet, call.cost, {
      key: keyOf(context),
      rechargeUrl: config.RECHARGE_URL,
      consoleUrl: config.CONSOLE_URL,
      startedAtMs: context.startedAtMs,
      insufficientStatus: call.insufficientStatus,
      signal,
    });
  }

  /** Runs an exchange to its end: records a call without a response at no cost, and releases the hold whatever goes wrong. */
  async #run(exchange: Exchange, plan: () => readonly AttemptPlan[] | Promise<readonly AttemptPlan[]>): Promise<void> {
    // The request stays open until its call has ended, even if its client disconnects before.
    exchange.context.admission?.retain();
    try {
      const result = await makeAttempts(this.#deps, exchange, await plan());
      if (result.kind === 'started') return;
      if (result.last !== undefined) await recordFailure(this.#deps, exchange, result.last);
      throw result.error;
    } finally {
      // Does nothing if the hold was captured; otherwise no attempt was made, or an unexpected error occurred.
      exchange.hold.release();
      exchange.context.admission?.release();
    }
  }

  /** Asks a deployment's provider something that is no call of a client: nothing is held, charged or tried again. */
  ask(route: Route, question: Question): Promise<Reply> {
    return askProvider(this.#options.providers, route, question);
  }

  /** Ends all open calls of providers, because the process stops: what was read of their responses is charged. */
  stopCalls(): void {
    this.#deps.openCalls.stopAll();
  }

  /** Reports the last outcomes to the router. */
  stop(): Promise<void> {
    return this.#deps.outcomes.stop(OUTCOMES_GRACE_MS);
  }
}

function exchangeOf(
  res: TollgateResponse,
  client: ClientConnection,
  { entry, cost, clientModel, operation, protocolIn, streamed, countInput }: PlannedCall,
  granted: GrantedHold,
): Exchange {
  const { context } = res.locals;
  return {
    context,
    key: keyOf(context),
    entry,
    price: cost.price,
    images: cost.images,
    clientModel,
    hold: granted.hold,
    client,
    res,
    operation,
    protocolIn,
    streamed,
    countInput,
    maxInputTokens: granted.maxInputTokens,
    maxSearches: granted.maxSearches,
    billsSearchesOnce: entry.model.webTools?.billedPerRequest ?? false,
    usesWebTools: WEB_TOOL_KINDS.some((kind) => granted.hostedUses[kind] !== undefined),
    maxOutputTokens: granted.maxOutputTokens,
  };
}

/** How a request reports an error as a stream that has failed. */
type ErrorStream = Pick<ClientRequest, 'failedStream' | 'streamContentType'>;

/**
 * Sends an error as a stream that has failed, where clients of the protocol recognize the error only there.
 *
 * @returns whether it was sent; otherwise the error still needs a response
 */
function sendErrorStream(exchange: Exchange, request: ErrorStream | undefined, error: unknown): boolean {
  const { res, context, client } = exchange;
  if (!(error instanceof ApiError) || res.headersSent || client.isClosed) return false;
  const stream = request?.failedStream?.(
    clientErrorOf(error),
    context.traceUuid,
    responseContextOf(exchange, undefined),
  );
  if (request === undefined || stream === undefined) return false;
  res.statusCode = 200;
  res.setHeader('content-type', request.streamContentType);
  res.setHeader('cache-control', 'no-cache');
  res.end(stream);
  return true;
}
