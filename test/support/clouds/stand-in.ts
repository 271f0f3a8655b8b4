import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { listen, stopListening } from '@tollgate/common/http-server';
import type { ArrivedRequest } from './verify-sigv4.ts';

/** What the stand-in does with a request. */
export type CloudAnswer =
  /** Sends it on to the simulated provider. */
  | { kind: 'forward'; path: string; body?: Buffer }
  | { kind: 'reply'; status: number; body: unknown; headers?: Record<string, string> };

/** An answer of the stand-in's own. */
export function reply(status: number, body: unknown, headers: Record<string, string> = {}): CloudAnswer {
  return { kind: 'reply', status, body, headers };
}

/** A path prefix, and what answers there. */
export type CloudEndpoints = Readonly<Record<string, (request: ArrivedRequest) => CloudAnswer>>;

export interface CloudStandIn {
  url: string;
  /** Requests that arrived, with what is wrong with their credentials, oldest first. */
  arrived: ArrivedRequest[];
  stop: () => Promise<void>;
}

/**
 * Starts a cloud: it checks requests as its endpoints say, and generates with the simulated provider. As a proxy it is
 * every host of its certificate.
 */
export async function startCloud(
  simulatorUrl: () => string,
  endpoints: CloudEndpoints,
  certificate?: { key: Buffer; cert: Buffer },
): Promise<CloudStandIn> {
  const arrived: ArrivedRequest[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    if (certificate === undefined) return socket.destroy();
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const secure = new TLSSocket(socket, { isServer: true, ...certificate });
    secure.on('error', () => socket.destroy());
    return server.emit('connection', secure);
  });
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: await buffer(incoming) };
    arrived.push(request);
    const prefix = Object.keys(endpoints).find((start) => url.startsWith(start));
    const given = prefix === undefined ? undefined : endpoints[prefix]?.(request);
    if (given?.kind === 'forward') return forward(request, given, response);
    response.writeHead(given?.status ?? 404, { 'content-type': 'application/json', ...given?.headers });
    response.end(typeof given?.body === 'string' ? given.body : JSON.stringify(given?.body ?? {}));
  }
  function forward(
    { method, headers, body: sent }: ArrivedRequest,
    { path, body = sent }: Extract<CloudAnswer, { kind: 'forward' }>,
    response: ServerResponse,
  ): void {
    const { host: _host, 'content-length': _length, ...rest } = headers;
    const call = httpRequest(new URL(path, simulatorUrl()), { method, headers: rest }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    call.on('error', () => response.destroy());
    response.on('close', () => call.destroy());
    call.end(body);
  }
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    arrived,
    stop: () => stopListening(server, { lingerMs: 0, graceMs: 0 }),
  };
}
