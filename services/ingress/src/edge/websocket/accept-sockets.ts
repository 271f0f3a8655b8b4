import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientNetwork } from '@tollgate/common/http/client-network';
import { WebSocketServer } from 'ws';
import type { IngressConfig } from '../../config.ts';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { keyOf, type TollgateRequest, type TollgateResponse } from '../../shared/request/request-context.ts';
import type { KeyAuthenticator } from '../authenticate/key-authenticator.ts';
import { presentedKey } from '../authenticate/presented-key.ts';
import { hasBody } from '../http/body.ts';
import { markUpgrade, type Upgrade } from '../http/connections.ts';
import { headersOfTurns } from './in-process-call.ts';
import type { ResponseSockets } from './response-sockets.ts';

/** The paths that serve WebSockets. */
export const SOCKET_PATHS = ['/v1/responses', '/responses'] as const;

/** How long a client may take to read why its upgrade was refused. */
const LINGER_MS = 2_000;

/** Which requests are handed over with their connection. All others are served as if they had not asked for it. */
export function asksForSocket(req: IncomingMessage): boolean {
  const [path = ''] = (req.url ?? '').split('?', 1);
  const isSocketPath = SOCKET_PATHS.some((each) => each === path);
  return isSocketPath && req.method === 'GET' && /^websocket$/i.test(req.headers.upgrade ?? '') && !hasBody(req);
}

/**
 * Serves a request with its connection through the application, so that an upgrade is checked like every request, and a
 * refusal is an error response like any other. The endpoint takes the connection if it accepts.
 */
export function serveUpgrade(app: RequestListener, req: IncomingMessage, stream: Duplex, head: Buffer): void {
  const res = new ServerResponse(req);
  stream.on('error', () => stream.destroy());
  markUpgrade(req, { stream, head });
  res.shouldKeepAlive = false;
  // Node.js hands over the network connection itself, typed as any stream.
  res.assignSocket(stream as Socket);
  res.once('finish', () => {
    res.detachSocket(stream as Socket);
    const linger = setTimeout(() => stream.destroy(), LINGER_MS);
    stream.once('close', () => clearTimeout(linger));
    stream.resume();
    stream.end();
    res.emit('close');
  });
  app(req, res);
}

export interface AcceptSocketDependencies {
  sockets: ResponseSockets;
  authenticator: KeyAuthenticator;
  config: Pick<IngressConfig, 'MAX_BODY_BYTES' | 'TRUSTED_PROXIES'>;
}

/** Sixteen bytes in base64 (RFC 6455, section 4.2.1). */
const SOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';

/** Accepts WebSockets, on which clients create responses. The key is already checked. */
export function createAcceptSocket({ sockets, authenticator, config }: AcceptSocketDependencies) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: config.MAX_BODY_BYTES,
    // A compressed message could expand to any size before its limit is checked, and costs memory for each connection.
    perMessageDeflate: false,
    // A client that never reads could otherwise fill the memory with answers to its pings.
    autoPong: false,
    // Otherwise the thousands of small frames that one read may bring would be handled in one turn of the event loop.
    allowSynchronousEvents: false,
    handleProtocols: () => false,
  });
  server.on('headers', (headers, req) => headers.push(...(idHeaders.get(req) ?? [])));
  const idHeaders = new WeakMap<object, string[]>();

  return async (req: TollgateRequest, res: TollgateResponse, { stream, head }: Upgrade): Promise<void> => {
    const { context } = res.locals;
    const key = keyOf(context);
    if (!SOCKET_KEY.test(String(req.headers['sec-websocket-key'] ?? '')))
      throw apiErrors.invalidRequest('The Sec-WebSocket-Key header is missing or invalid.');
    if (req.headers['sec-websocket-version'] !== VERSION)
      throw apiErrors.invalidRequest(`The Sec-WebSocket-Version header must be ${VERSION}.`);
    const refusal = await sockets.refusalFor(key);
    if (refusal !== undefined) throw refusal;
    const credential = presentedKey(req.headers, false);
    if (credential.kind === 'missing' || !(stream instanceof Socket))
      throw new Error('not an authenticated connection');
    const { remoteAddress } = stream;
    const network = clientNetwork(req, config.TRUSTED_PROXIES);
    const identity = authenticator.identify(credential.text);
    idHeaders.set(req, [`x-trace-id: ${context.traceUuid}`, `x-request-id: ${context.requestId}`]);
    res.statusCode = 101;
    res.detachSocket(stream);
    server.handleUpgrade(req, stream, head, (ws) => {
      const origin = { target: req.url, rawHeaders: headersOfTurns(req.rawHeaders), remoteAddress };
      const { traceId, traceUuid } = context;
      sockets.serve({ ws, stream, origin, key, traceId, traceUuid }, async () =>
        authenticator.authenticate(identity, () => network),
      );
    });
    // The request is over; nothing else reports that once the response has lost its connection.
    res.emit('close');
  };
}
