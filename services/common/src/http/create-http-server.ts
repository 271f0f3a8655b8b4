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
import { Connections } from './connections.ts';
import { type RenderUnreadable, UNREADABLE, type UnreadableRequest, unreadableResponse } from './unreadable.ts';

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

/** The part of its time after which a head is slow. */
const SLOW_HEAD = 1 / 20;

/** How long a client may take to read the response to an unreadable request before its connection is closed. */
const LINGER_MS = 2_000;

export interface HttpServerOptions {
  /** Maximum number of connections. Further ones replace others that wait for a head, or are closed without a response. */
  maxConnections: number;
  /** Called for each connection that is closed because there are too many. */
  onExcess?: () => void;
  renderUnreadable: RenderUnreadable;
  /** Called for each request whose body cannot be read to its end, after its response was sent. */
  onUnreadable?: (res: ServerResponse, problem: UnreadableRequest) => void;
  /** Which requests are handed over with their connection, and what serves them; undefined for none. */
  upgrades?: {
    accepts: (req: IncomingMessage) => boolean;
    serve: (req: IncomingMessage, connection: Duplex, head: Buffer) => void;
  };
  /** The classes of requests and responses, instead of Node.js's own. */
  messages?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  times?: Partial<ConnectionTimes>;
}

/**
 * Creates an HTTP server for the application, with limits on heads, waiting times and connections. Responses that
 * Node.js would send itself are sent here, or left to the application's check of the head (`problemOfHead`), so that every
 * response has the service's body. The application also sends 100 Continue.
 */
export function createHttpServer(app: RequestListener, options: HttpServerOptions): Server {
  const { maxConnections, onExcess = () => undefined, renderUnreadable, upgrades } = options;
  const { headMs, requestMs, idleMs, stallMs, checkMs } = { ...TIMES, ...options.times };
  const server = createServer({
    ...options.messages,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    requireHostHeader: false,
    noDelay: true,
    shouldUpgradeCallback: (req) => upgrades?.accepts(req) === true,
  });
  server.maxHeadersCount = 200;
  server.maxConnections = maxConnections;
  const connections = new Connections({ max: maxConnections, slowMs: headMs * SLOW_HEAD, onCut: onExcess });
  server.on('connection', (socket) => connections.connected(socket));
  cutStalled(server, connections, stallMs);
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    connections.responseOpened(req.socket, res);
    const target = toOriginForm(req.url ?? '');
    if (target === undefined) {
      sendUnroutable(res, renderUnreadable);
      return;
    }
    req.url = target;
    app(req, res);
  };
  server.on('request', serve);
  const serveExpecting = (req: IncomingMessage, res: ServerResponse) => void server.emit('request', req, res);
  server.on('checkContinue', serveExpecting);
  server.on('checkExpectation', serveExpecting);
  server.on('upgrade', (req, connection, head) => {
    connections.headReceived(connection);
    upgrades?.serve(req, connection, head);
  });
  server.on('connect', (_req, socket) => {
    connections.headReceived(socket);
    closeWith(socket, unreadableResponse(UNREADABLE.connect, renderUnreadable(UNREADABLE.connect, undefined)));
  });
  server.on('clientError', (error, socket) =>
    rejectUnreadable(error, socket, connections.responsesOf(socket), options),
  );
  server.on('drop', onExcess);
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
 * response, and what produces it, for as long as a request may take. While nothing waits to be sent, silence is fine.
 *
 * Node.js reports an inactive socket after up to twice the timeout it is given. So it is given a part of the time, and
 * the connection is closed after that many reports in a row. It is the server's timeout, which applies to all sockets
 * and costs nothing for each response.
 */
function cutStalled(server: Server, connections: Connections, stallMs: number): void {
  const checkMs = stallMs / STALL_CHECKS;
  const stalled = new WeakMap<Socket, { checks: number; lastAt: number }>();
  server.timeout = checkMs;
  server.on('timeout', (socket) => {
    // Between two requests a socket has the longer timeout of idle connections.
    if (socket.timeout !== checkMs) {
      socket.destroy();
      return;
    }
    const [current] = connections.responsesOf(socket);
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

function sendUnroutable(res: ServerResponse, render: RenderUnreadable): void {
  const { headers, body } = render(UNREADABLE.target, undefined);
  res.writeHead(UNREADABLE.target.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
    connection: 'close',
  });
  res.end(body);
}

/** Sends an error for a request that cannot be parsed, and closes the connection. A response in progress is cut off. */
function rejectUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  open: readonly ServerResponse[],
  { renderUnreadable, onUnreadable }: HttpServerOptions,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || open.some((res) => res.headersSent)) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error.code);
  const [first] = open;
  // The request of an interrupted body is logged with this status.
  if (first !== undefined) first.statusCode = problem.status;
  closeWith(socket, unreadableResponse(problem, renderUnreadable(problem, first)));
  if (first !== undefined) onUnreadable?.(first, problem);
}

function problemOf(code: string | undefined): UnreadableRequest {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return UNREADABLE.tooLargeHead;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return UNREADABLE.late;
    default:
      return UNREADABLE.malformed;
  }
}

/** Sends a response and closes the connection once the client had time to read it. */
function closeWith(socket: Duplex, response: string): void {
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
  socket.on('error', () => undefined);
  socket.end(response);
}
