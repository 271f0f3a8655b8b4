import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasBody } from '../http/body.ts';
import { markUpgrade } from '../http/connections.ts';

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
