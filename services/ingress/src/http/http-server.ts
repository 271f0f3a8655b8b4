import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { dashTraceId, newId, newTraceId } from '@tollgate/common/ids';
import { apiErrors } from '../errors/api-error.ts';
import { type RawErrorStatus, type ResponseIds, rawErrorResponse } from '../errors/raw-error-response.ts';
import { sendError } from '../errors/render.ts';
import { OpenResponses } from './open-responses.ts';
import { surfaceOf } from './surface.ts';

/** How long connections may take for what, milliseconds. Each is kept to within `checkMs`, unless it says otherwise. */
export interface ConnectionTimes {
  /** A head, from the first moment of the connection or of the request. */
  headMs: number;
  /** A whole request, its body included. */
  requestMs: number;
  /** Longer than the idle time of usual load balancers, so that these close first and no request falls into the gap. */
  idleMs: number;
  /** Without anything of an answer being taken while some of it waits to be sent. Kept to within a quarter of it. */
  stallMs: number;
  checkMs: number;
}

const TIMES: ConnectionTimes = { headMs: 20_000, requestMs: 300_000, idleMs: 75_000, stallMs: 60_000, checkMs: 1_000 };

/** How long a client may take to read the answer to what could not be read of it, before its connection is cut. */
const LINGER_MS = 2_000;

export interface HttpServerOptions {
  /** Most connections at once; further ones are closed unanswered. */
  maxConnections: number;
  /** Called for each connection beyond that. */
  onRefusedConnection: () => void;
  times?: ConnectionTimes;
}

/**
 * Puts the application on an HTTP server with bounded heads, waits and connections. What Node.js would answer by itself is
 * answered here, so that every answer has the contract's body and a trace id.
 */
export function createHttpServer(app: RequestListener, options: HttpServerOptions): Server {
  const { headMs, requestMs, idleMs, stallMs, checkMs } = options.times ?? TIMES;
  const server = createServer({
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // A missing Host is refused by the application, with a body.
    requireHostHeader: false,
    noDelay: true,
  });
  server.maxHeadersCount = 200;
  server.maxConnections = options.maxConnections;
  const answers = new OpenResponses();
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    answers.opened(req.socket, res);
    cutStalled(res, stallMs);
    const target = toOriginForm(req.url ?? '');
    if (target === undefined) {
      sendUnroutable(res);
      return;
    }
    req.url = target;
    app(req, res);
  };
  server.on('request', serve);
  // The body is asked for when it is read, and unknown expectations are refused by the application.
  const serveExpecting = (req: IncomingMessage, res: ServerResponse) => void server.emit('request', req, res);
  server.on('checkContinue', serveExpecting);
  server.on('checkExpectation', serveExpecting);
  server.on('connect', (_req, socket) => closeWith(socket, 405));
  server.on('clientError', (error, socket) => rejectUnparsable(error, socket, answers.of(socket)));
  server.on('drop', options.onRefusedConnection);
  return server;
}

/** The path and query of a request's target, which may be a whole URL; undefined for one that cannot be read. */
function toOriginForm(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null ? undefined : `${url.pathname}${url.search}`;
}

/** A client's taking nothing is looked at so often within the time that it may last. */
const STALL_LOOKS = 4;

/**
 * Cuts a client that takes nothing of its answer any more, as one that has left: else it would keep what waits for it, and
 * its provider's connection, for as long as a request may take. While nothing waits to be sent it may be silent.
 *
 * Node.js reports a socket on which nothing has moved since it last looked, which is up to twice the time that it is given.
 * So it is given a part of the time, and the client is cut once it has been reported that many times in a row.
 */
function cutStalled(res: ServerResponse, stallMs: number): void {
  const lookMs = stallMs / STALL_LOOKS;
  let stalledLooks = 0;
  let lastLookAt = 0;
  res.setTimeout(lookMs, () => {
    if (res.writableLength === 0 && (res.socket?.writableLength ?? 0) === 0) return;
    const nowMs = performance.now();
    // A report that is late comes after one that Node.js kept back, as something had moved.
    stalledLooks = nowMs - lastLookAt < 1.5 * lookMs ? stalledLooks + 1 : 1;
    lastLookAt = nowMs;
    if (stalledLooks === STALL_LOOKS) res.destroy();
    else res.socket?.setTimeout(lookMs);
  });
}

function sendUnroutable(res: ServerResponse): void {
  const { surface, traceUuid, requestId } = newIds();
  res.setHeader('x-trace-id', traceUuid);
  res.setHeader('x-request-id', requestId);
  res.setHeader('connection', 'close');
  sendError(res, apiErrors.invalidRequest('The request target is not a valid URL.'), surface, traceUuid);
}

/** Answers what cannot be read as HTTP, and closes the connection. Nothing is written into an answer that has begun. */
function rejectUnparsable(error: NodeJS.ErrnoException, socket: Duplex, open: readonly ServerResponse[]): void {
  if (error.code === 'ECONNRESET' || !socket.writable || open.some((res) => res.headersSent)) {
    socket.destroy();
    return;
  }
  const status = statusOf(error.code);
  const [first] = open;
  // A request whose body broke off is logged with what was answered.
  if (first !== undefined) first.statusCode = status;
  closeWith(socket, status, first === undefined ? newIds() : idsOf(first));
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

/** The ids that the application has given an answer, whose head is not sent yet. */
function idsOf(res: ServerResponse): ResponseIds {
  const ids = newIds();
  const [path = ''] = (res.req.url ?? '').split('?', 1);
  return {
    surface: surfaceOf(path),
    traceUuid: String(res.getHeader('x-trace-id') ?? ids.traceUuid),
    requestId: String(res.getHeader('x-request-id') ?? ids.requestId),
  };
}

/** Sends an error and closes the connection, whose client gets a while to read it. */
function closeWith(socket: Duplex, status: RawErrorStatus, ids = newIds()): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  socket.on('error', () => undefined);
  socket.end(rawErrorResponse(status, ids));
}
