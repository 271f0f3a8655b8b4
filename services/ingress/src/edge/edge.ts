import type { Server, ServerResponse } from 'node:http';
import { unaryCall } from '@tollgate/common/grpc/client';
import { createHttpServer } from '@tollgate/common/http/create-http-server';
import type { StopTimes } from '@tollgate/common/http-server';
import type { Logger } from '@tollgate/common/logging';
import type { RedisClient } from '@tollgate/common/redis/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { Express } from 'express';
import type { IngressConfig } from '../config.ts';
import type { BufferBudget } from '../shared/buffers/buffer-budget.ts';
import type { Metrics } from '../shared/metrics.ts';
import {
  keyOf,
  type RequestContext,
  type TollgateRequest,
  type TollgateResponse,
} from '../shared/request/request-context.ts';
import { FailureLog } from './authenticate/failure-log.ts';
import { KeyAuthenticator } from './authenticate/key-authenticator.ts';
import { KeyUse } from './authenticate/key-use.ts';
import { RevocationWatch } from './authenticate/revocation-watch.ts';
import { UnknownKeyLimiter } from './authenticate/unknown-key-limiter.ts';
import { createAuthenticateMiddleware } from './http/authenticate.ts';
import { expressMessages } from './http/express-messages.ts';
import { createOpenRequestMiddleware } from './http/open-request.ts';
import { sendThrownError } from './http/send-thrown-error.ts';
import { renderUnreadable, unreadableError } from './http/unreadable-request.ts';
import { COUNTING_LIMITS } from './limits/applicable.ts';
import { Limiter } from './limits/limiter.ts';
import type { LimitedModels } from './limits/model-call.ts';
import { recordRefusal } from './refusals/record-refusal.ts';
import { RefusalReporter } from './refusals/refusal-reporter.ts';
import { asksForSocket, createAcceptSocket, serveUpgrade } from './websocket/accept-sockets.ts';
import { ResponseSockets } from './websocket/response-sockets.ts';

/** How often the last use of keys is reported to auth. */
const KEY_USE_INTERVAL_MS = 30_000;
const KEY_USE_DEADLINE_MS = 2_000;
const REFUSALS_DEADLINE_MS = 2_000;

export interface EdgeOptions {
  auth: AuthServiceClient;
  /** Keeps refused requests. */
  ledger: LedgerServiceClient;
  redis: RedisClient;
  /** Identifies this process: a UUID. */
  processId: string;
  ingressName: string;
  /** The latest route table; undefined until there is one. */
  routes: { readonly table: LimitedModels | undefined };
  /** Whether an account can pay for anything. */
  hasCredit: (accountId: string) => Promise<boolean>;
  /** Memory for request bodies, decompressed. */
  requestBuffers: BufferBudget;
  metrics: Metrics;
  logger: Logger;
  config: IngressConfig;
}

/** Figures for metrics. */
export interface EdgeStats {
  /** Open requests with a valid key. */
  openRequests: number;
  websockets: number;
  /** Bytes of responses that the next message of their WebSocket can continue. */
  keptBytes: number;
}

/** Where clients connect: HTTP and WebSockets, authentication, limits, and requests that are refused. */
export class Edge {
  readonly #options: EdgeOptions;
  readonly #revocations: RevocationWatch;
  readonly #failures: FailureLog;
  readonly #limiter: Limiter;
  readonly #keyUse: KeyUse;
  readonly #refusals: RefusalReporter;
  readonly #sockets: ResponseSockets;
  /** Sets ids and span of a request, and logs it once it is closed. */
  readonly openRequest: ReturnType<typeof createOpenRequestMiddleware>;
  /** Passes on requests with an active key, within their limits. */
  readonly authenticate: ReturnType<typeof createAuthenticateMiddleware>;
  /** Accepts the WebSocket that an authenticated request asks for. */
  readonly acceptSocket: ReturnType<typeof createAcceptSocket>;

  constructor(options: EdgeOptions) {
    const { auth, ledger, redis, processId, ingressName, requestBuffers, hasCredit, metrics, logger, config } = options;
    this.#options = options;
    this.#revocations = new RevocationWatch({ auth, watcherId: processId, ingressName, logger });
    const authenticator = new KeyAuthenticator({
      auth,
      redis,
      revocations: this.#revocations,
      unknownKeys: new UnknownKeyLimiter({ burst: config.UNKNOWN_KEYS_BURST, now: () => performance.now() }),
      serviceName: config.SERVICE_NAME,
      logger,
    });
    this.#failures = new FailureLog(logger, metrics);
    this.#limiter = new Limiter({
      redis,
      processName: processId,
      logger,
      maxOpen: config.MAX_OPEN_REQUESTS,
      maxOpenPerAccount: Math.floor(config.MAX_OPEN_REQUESTS / 2),
    });
    this.#keyUse = new KeyUse({
      send: (uses) => unaryCall(auth.reportKeyUse.bind(auth), { uses }, { deadlineMs: KEY_USE_DEADLINE_MS }),
      intervalMs: KEY_USE_INTERVAL_MS,
      logger,
    });
    this.#refusals = new RefusalReporter({
      send: (batch) => unaryCall(ledger.recordRefusals.bind(ledger), batch, { deadlineMs: REFUSALS_DEADLINE_MS }),
      metrics,
      logger,
    });
    this.#sockets = new ResponseSockets({ requestBuffers, logger, hasCredit, config });
    this.#revocations.onChange(() => this.#sockets.keysChanged());
    this.openRequest = createOpenRequestMiddleware(options);
    this.authenticate = createAuthenticateMiddleware({
      ...options,
      authenticator,
      failures: this.#failures,
      keyUse: this.#keyUse,
      refusals: this.#refusals,
      limiter: this.#limiter,
    });
    this.acceptSocket = createAcceptSocket({ sockets: this.#sockets, authenticator, config });
  }

  /** Whether keys can be authenticated now. */
  get ready(): boolean {
    return this.#revocations.ready;
  }

  /** Creates the HTTP server of an application; it does not listen yet. */
  createServer(app: Express): Server {
    const { config, metrics } = this.#options;
    const server = createHttpServer(app, {
      messages: expressMessages(app),
      maxConnections: config.MAX_CONNECTIONS,
      onExcess: () => metrics.refusedConnection(),
      renderUnreadable,
      onUnreadable: (res, problem) => {
        if (isOpened(res)) recordRefusal(this.#refusals, unreadableError(problem), res);
      },
      upgrades: {
        accepts: (req) => this.#sockets.isEnabled && asksForSocket(req),
        serve: (req, connection, head) => serveUpgrade(app, req, connection, head),
      },
    });
    this.#sockets.start(server);
    return server;
  }

  /** Sends whatever an endpoint threw as an error response. */
  sendThrown(thrown: unknown, req: TollgateRequest, res: TollgateResponse): Promise<void> {
    return sendThrownError(this.#options.logger, this.#refusals, thrown, req, res);
  }

  /** Whether the account may have a provider count tokens now. */
  async mayCount(context: RequestContext): Promise<boolean> {
    if (context.admission === undefined) throw new Error('the request has not been admitted');
    const { kind } = await this.#limiter.take(context.admission, keyOf(context), COUNTING_LIMITS, 0);
    return kind === 'passed';
  }

  stats(): EdgeStats {
    return {
      openRequests: this.#limiter.openRequests,
      websockets: this.#sockets.open,
      keptBytes: this.#sockets.keptBytes,
    };
  }

  start(): void {
    this.#keyUse.start();
    this.#failures.start();
    this.#limiter.start();
    this.#revocations.start();
  }

  /** Closes the WebSockets, each when its response has ended. */
  stopSockets(times: StopTimes): Promise<void> {
    return this.#sockets.stop(times);
  }

  /** Reports what is not reported yet, once the last response was sent. */
  async stop(): Promise<void> {
    await Promise.all([this.#keyUse.stop(), this.#refusals.stop()]);
    this.#limiter.stop();
    this.#failures.stop();
    await this.#revocations.stop();
  }
}

/** Whether the application has begun to handle the request. */
function isOpened(res: ServerResponse): res is TollgateResponse {
  return 'locals' in res && (res as TollgateResponse).locals.context !== undefined;
}
