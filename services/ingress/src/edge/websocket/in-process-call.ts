import { type ClientRequest, request, type Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { markTurn } from '../http/connections.ts';
import type { Turn } from './turn.ts';

/** What the request of a message takes from the WebSocket that it came on. */
export interface TurnOrigin {
  /** Path and query of the WebSocket. */
  readonly target: string;
  /** Names and values in turn, as the client sent them. */
  readonly rawHeaders: readonly string[];
  readonly remoteAddress: string | undefined;
}

/** Headers of the connection or of the body, which differ for the request of a message. */
const NOT_FORWARDED =
  /^(?:connection|upgrade|sec-websocket-.*|content-.*|transfer-encoding|te|trailer|expect|keep-alive)$/i;

/** The headers of a WebSocket that its messages have in common. */
export function headersOfTurns(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    if (!NOT_FORWARDED.test(name)) headers.push(name, value);
  }
  return headers;
}

/**
 * Sends the request of a message to the server over a connection within the process, so that a message passes everything
 * that a request passes: ids, key, limits, hold, charge, records. Its body does not travel: the server reads it from the
 * turn. The connection has flow control in both directions, and closes on both sides at once.
 */
export function callInProcess(server: Server, origin: TurnOrigin, turn: Turn): ClientRequest {
  const [client, connection] = duplexPair();
  client.once('close', () => connection.destroy());
  connection.once('close', () => client.destroy());
  markTurn(connection, turn);
  server.emit('connection', asSocket(connection, origin.remoteAddress));
  const call = request({
    createConnection: () => client,
    method: 'POST',
    path: origin.target,
    headers: [...origin.rawHeaders, 'Content-Length', '0', 'Connection', 'close'],
  });
  call.end();
  return call;
}

/** With what the server expects of a network connection. It has no timeout: the WebSocket has one. */
function asSocket(connection: Duplex, remoteAddress: string | undefined): Duplex {
  return Object.assign(connection, { remoteAddress, setTimeout: () => connection });
}
