import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, stopListening } from '@tollgate/common/http-server';
import { at } from '@tollgate/test-support/gateway/json';
import { PassedSockets } from './passed-sockets.ts';

/**
 * A request that asks a model for something: a POST, or a `response.create` of a WebSocket, but not one by which Codex only
 * prepares a response (`generate: false`).
 */
export interface CountedRequest {
  transport: 'http' | 'websocket';
  /** Of the body. Codex puts the time into each message of a WebSocket, so these differ even if one is sent again. */
  digest: string;
}

/** A proxy in front of the gateway that remembers which requests were sent, and sent again. */
export interface CountingProxy {
  url: string;
  requests: readonly CountedRequest[];
  stop: () => Promise<void>;
}

export async function startCountingProxy(gatewayUrl: string): Promise<CountingProxy> {
  const requests: CountedRequest[] = [];
  const count = (transport: CountedRequest['transport'], body: Buffer | string) =>
    requests.push({ transport, digest: hash('sha256', body) });
  const server = createServer((incoming, outgoing) => {
    buffer(incoming).then(
      (body) => {
        if (incoming.method === 'POST') count('http', body);
        const forwarded = forward(incoming, gatewayUrl, (response) => {
          outgoing.writeHead(response.statusCode ?? 0, response.headers);
          response.pipe(outgoing);
        });
        forwarded.on('error', () => outgoing.destroy());
        forwarded.end(body);
      },
      () => outgoing.destroy(),
    );
  });
  const sockets = new PassedSockets(gatewayUrl, (text) => {
    if (asksModel(text)) count('websocket', text);
  });
  server.on('upgrade', (incoming, socket, head) => sockets.pass(incoming, socket, head));
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => {
      sockets.end();
      await stopListening(server, { lingerMs: 0, graceMs: 0 });
    },
  };
}

function forward(incoming: IncomingMessage, gatewayUrl: string, onResponse: (response: IncomingMessage) => void) {
  const { method = 'GET', url = '/', headers } = incoming;
  return request(new URL(url, gatewayUrl), { method, headers }, onResponse);
}

function asksModel(text: string): boolean {
  const message: unknown = JSON.parse(text);
  return at(message, 'type') === 'response.create' && at(message, 'generate') !== false;
}
