import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

/** Maximum size of a message: the gateway's own. One message in each direction is in memory. */
const MAX_MESSAGE = 32 * 1024 * 1024;

/** WebSockets that a proxy passes on to the gateway, message by message. Both sides are closed with the same code. */
export class PassedSockets {
  readonly #gateway: string;
  readonly #onText: (text: string) => void;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE });

  /**
   * @param onText is called with each text that a client sends
   */
  constructor(gatewayUrl: string, onText: (text: string) => void) {
    this.#gateway = gatewayUrl.replace('http', 'ws');
    this.#onText = onText;
  }

  /** Passes a handshake on, and the gateway's refusal back. */
  pass(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const far = new WebSocket(new URL(incoming.url ?? '/', this.#gateway), {
      headers: headersToPass(incoming.headers),
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE,
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (far.readyState === WebSocket.CONNECTING) far.terminate();
    });
    far.on('error', () => socket.destroy());
    far.on('unexpected-response', (_, response) => refuse(incoming, socket, response));
    far.on('open', () =>
      this.#server.handleUpgrade(incoming, socket, head, (near) => {
        near.on('message', (data, isBinary) => {
          if (!isBinary) this.#onText(String(data));
        });
        relay(near, far);
        relay(far, near);
      }),
    );
  }

  end(): void {
    for (const near of this.#server.clients) near.terminate();
  }
}

/** All but those of the connection, which the proxy's own handshake sets. */
function headersToPass(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const isPassed = (name: string) => !/^(host|connection|upgrade|sec-websocket-.*)$/.test(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isPassed(name)));
}

function refuse(incoming: IncomingMessage, socket: Duplex, response: IncomingMessage): void {
  const outgoing = new ServerResponse(incoming);
  outgoing.shouldKeepAlive = false;
  // Node.js hands over the network connection itself, typed as any stream.
  outgoing.assignSocket(socket as Socket);
  outgoing.once('finish', () => socket.end());
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  response.pipe(outgoing);
}

/** Reads the next message once the other side has taken the last one. */
function relay(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => {
    from.pause();
    to.send(data as Buffer, { binary: isBinary }, () => from.resume());
  });
  from.on('error', () => from.terminate());
  from.on('close', (code, reason) => {
    // These stand for no code and for a lost connection, and cannot be sent.
    if (code === 1005) to.close();
    else if (code === 1006) to.terminate();
    else to.close(code, reason);
  });
}
