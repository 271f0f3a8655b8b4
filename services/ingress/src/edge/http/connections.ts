import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Reservation } from '../../shared/buffers/buffer-budget.ts';
import type { BodyResult } from './body.ts';

/** The connection of a request that asks for a WebSocket, as Node.js hands it over. */
export interface Upgrade {
  readonly stream: Duplex;
  /** What the client has sent after its request. */
  readonly head: Buffer;
}

/** A message of a WebSocket, which is served as the request that it stands for. */
export interface MessageTurn {
  /** The memory of its body. */
  readonly reservation: Reservation;
  /** Whether the response is only prepared: nothing is generated. Known once the body was read. */
  readonly isWarmUp: boolean;
  /** Creates the body of the request. */
  readBody(): Promise<BodyResult>;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();
const turns = new WeakMap<Duplex, MessageTurn>();

/** Marks a request whose connection can become a WebSocket. */
export function markUpgrade(req: IncomingMessage, upgrade: Upgrade): void {
  upgrades.set(req, upgrade);
}

/** The connection of a request that asks for a WebSocket where one is served; undefined for all other requests. */
export function upgradeOf(req: IncomingMessage): Upgrade | undefined {
  return upgrades.get(req);
}

/** Marks the connection within the process that carries the request of a message. */
export function markTurn(connection: Duplex, turn: MessageTurn): void {
  turns.set(connection, turn);
}

/** The message of a WebSocket that a request stands for; undefined for requests over HTTP. */
export function turnOf(req: IncomingMessage): MessageTurn | undefined {
  return turns.get(req.socket);
}
