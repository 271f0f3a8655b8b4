import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { dashTraceId, newId, newTraceId } from '@tollgate/common/ids';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import { type RawErrorStatus, type ResponseIds, rawError, rawErrorResponse } from '../errors/raw-error-response.ts';
import { sendError } from '../errors/render.ts';
import { surfaceOf } from '../surface/surface.ts';

/** Time limits of connections in milliseconds, exact to `checkMs` unless noted. */
export interface ConnectionTimes {
  /** For a head, from the start of the connection or of the request. */
  headMs: number;
  /** For a complete request, body included. */
  requestMs: number;
  /** Longer than the idle time of usual load balancers, so that these close first and no request is lost. */
  idleMs: number;
  /** Without the client reading while part of a response waits to be sent. Exact to a quarter of it. */
  stallMs: number;
  checkMs: number;
}

const TIMES: ConnectionTimes = { headMs: 20_000, requestMs: 300_000, idleMs: 75_000, stallMs: 60_000, checkMs: 1_000 };

/** How long a client may take to read the response to an unparsable request before its connection is closed. */
const LINGER_MS = 2_000;

export interface HttpServerOptions {
  /** Maximum number of connections; further ones are closed without a response. */
  maxConnections: number;
  /** Called for each connection beyond the maximum. */
  onRefusedConnection: () => void;
  /** Called for each request whose body cannot be read to its end, and which gets this error. */
  onUnreadable: (res: ServerResponse, error: ApiError) => void;
  /** Which requests are handed over with their connection, and what serves them; undefined for none. */
  upgrades?: {
    accepts: (req: IncomingMessage) => boolean;
    serve: (req: IncomingMessage, connection: Duplex, head: Buffer) => void;
  };
  /** The classes of requests and responses, unless they are those of Node.js. */
  messages?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  times?: ConnectionTimes;
}

/**
 * Creates an HTTP server for the application, with limits on heads, waiting times and connections. Responses that
 * Node.js would send itself are sent here, so that every response has the contract's body and a trace id.
 */
export function createHttpServer(app: RequestListener, options: HttpServerOptions): Server {
  const { headMs, requestMs, idleMs, stallMs, checkMs } = options.times ?? TIMES;
  const server = createServer({
    ...options.messages,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // The application rejects a missing Host, with a body.
    requireHostHeader: false,
    noDelay: true,
    shouldUpgradeCallback: (req) => options.upgrades?.accepts(req) === true,
  });
  server.maxHeadersCount = 200;
  server.maxConnections = options.maxConnections;
  const responses = new OpenResponses();
  cutStalled(server, responses, stallMs);
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    responses.opened(req.socket, res);
    const target = toOriginForm(req.url ?? '');
    if (target === undefined) {
      sendUnroutable(res);
      return;
    }
    req.url = target;
    app(req, res);
  };
  server.on('request', serve);
  // The application sends 100 Continue when it reads the body, and rejects unknown expectations.
  const serveExpecting = (req: IncomingMessage, res: ServerResponse) => void server.emit('request', req, res);
  server.on('checkContinue', serveExpecting);
  server.on('checkExpectation', serveExpecting);
  server.on('upgrade', (req, connection, head) => options.upgrades?.serve(req, connection, head));
  server.on('connect', (_req, socket) => closeWith(socket, 405));
  server.on('clientError', (error, socket) =>
    rejectUnparsable(error, socket, responses.of(socket), options.onUnreadable),
  );
  server.on('drop', options.onRefusedConnection);
  return server;
}

/** The path and query of a request target, which may be an absolute URL; undefined for an invalid one. */
function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null ? undefined : `${url.pathname}${url.search}`;
}

/** Checks of a stalled client within `stallMs`. */
const STALL_CHECKS = 4;

/**
 * Closes the connections of clients that have stopped reading their response. They would otherwise hold the buffered
 * response and the provider's connection for as long as a request may take. While nothing waits to be sent, silence is
 * fine.
 *
 * Node.js reports an inactive socket after up to twice the timeout it is given. So it is given a part of the time, and
 * the connection is closed after that many reports in a row. It is the server's timeout, which applies to all sockets
 * and costs nothing for each response.
 */
function cutStalled(server: Server, responses: OpenResponses, stallMs: number): void {
  const checkMs = stallMs / STALL_CHECKS;
  const stalled = new WeakMap<Socket, { checks: number; lastAt: number }>();
  server.timeout = checkMs;
  server.on('timeout', (socket) => {
    // Between two requests a socket has the longer timeout of idle connections.
    if (socket.timeout !== checkMs) {
      socket.destroy();
      return;
    }
    const [current] = responses.of(socket);
    if (current === undefined || (current.writableLength === 0 && socket.writableLength === 0)) return;
    const nowMs = performance.now();
    const last = stalled.get(socket);
    // A late report follows one that Node.js suppressed because of activity.
    const checks = last !== undefined && nowMs - last.lastAt < 1.5 * checkMs ? last.checks + 1 : 1;
    stalled.set(socket, { checks, lastAt: nowMs });
    if (checks === STALL_CHECKS) socket.destroy();
    else socket.setTimeout(checkMs);
  });
}

function sendUnroutable(res: ServerResponse): void {
  const { surface, traceUuid, requestId } = newIds();
  res.setHeader('x-trace-id', traceUuid);
  res.setHeader('x-request-id', requestId);
  res.setHeader('connection', 'close');
  sendError(res, apiErrors.invalidRequest('The request target is not a valid URL.'), surface, traceUuid);
}

/** Sends an error for a request that cannot be parsed, and closes the connection. A response in progress is cut off. */
function rejectUnparsable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  open: readonly ServerResponse[],
  onUnreadable: HttpServerOptions['onUnreadable'],
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || open.some((res) => res.headersSent)) {
    socket.destroy();
    return;
  }
  const status = statusOf(error.code);
  const [first] = open;
  // The request of an interrupted body is logged with this status.
  if (first !== undefined) first.statusCode = status;
  closeWith(socket, status, first === undefined ? newIds() : idsOf(first));
  if (first !== undefined) onUnreadable(first, rawError(status));
}

function statusOf(code: string | undefined): RawErrorStatus {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    default:
      return 400;
  }
}

function newIds(): ResponseIds {
  return { surface: 'model', traceUuid: dashTraceId(newTraceId()), requestId: newId() };
}

/** The ids that the application has set on a response whose head is not sent yet. */
function idsOf(res: ServerResponse): ResponseIds {
  const ids = newIds();
  const [path = ''] = (res.req.url ?? '').split('?', 1);
  return {
    surface: surfaceOf(path),
    traceUuid: String(res.getHeader('x-trace-id') ?? ids.traceUuid),
    requestId: String(res.getHeader('x-request-id') ?? ids.requestId),
  };
}

/** Sends an error and closes the connection once the client had time to read it. */
function closeWith(socket: Duplex, status: RawErrorStatus, ids = newIds()): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  socket.on('error', () => undefined);
  socket.end(rawErrorResponse(status, ids));
}

/**
 * The open responses of each connection in the order of their requests: several if a client pipelines. They are in an
 * array for the reason of `OpenCalls`.
 */
class OpenResponses {
  readonly #ofSocket = new WeakMap<Duplex, ServerResponse[]>();

  /** Tracks a response until it is closed. */
  opened(socket: Duplex, res: ServerResponse): void {
    let open = this.#ofSocket.get(socket);
    if (open === undefined) {
      open = [];
      this.#ofSocket.set(socket, open);
    }
    open.push(res);
    res.once('close', () => remove(open, res));
  }

  of(socket: Duplex): readonly ServerResponse[] {
    return this.#ofSocket.get(socket) ?? [];
  }
}

function remove(open: ServerResponse[], res: ServerResponse): void {
  if (open.at(-1) === res) open.pop();
  else open.splice(open.indexOf(res), 1);
}
