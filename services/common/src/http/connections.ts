import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf } from './client-network.ts';

/** The part of all connections on which one network may send its first head. */
const NETWORK_SHARE = 1 / 4;

/** A network connection of a client. */
interface Connection {
  readonly socket: Socket;
  readonly network: string;
  readonly openedAt: number;
  /** When its last response was closed; undefined before the first, and while one is open. */
  idleSince: number | undefined;
}

export interface ConnectionsOptions {
  max: number;
  /** After this time without a complete first head, a connection is the first to go where there are too many. */
  slowMs: number;
  /** Called for each connection that is closed so that others can be opened. */
  onCut: () => void;
}

/**
 * The connections of a server and their open responses. A connection without an open response waits for a head, which
 * costs a client nothing. So a network may only have a share of all connections that have never sent a complete one, and
 * where all connections are in use, one of those that wait is closed for the next. All connections of a proxy come from one
 * network; it sends complete heads, so that the share does not concern it.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #networkMax: number;
  readonly #connections = new Map<Duplex, Connection>();
  /** Without a complete head so far, oldest first; all, and by network. */
  readonly #first = new Set<Connection>();
  readonly #firstOf = new Map<string, Set<Connection>>();
  /**
   * The open responses in the order of their requests: several if a client pipelines. They are in arrays, since a `Set`
   * that often changes keeps what was in it from an early collection.
   */
  readonly #responses = new WeakMap<Duplex, ServerResponse[]>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#networkMax = Math.max(1, Math.floor(options.max * NETWORK_SHARE));
  }

  /** Counts a new connection until it is closed, and makes room for the next one. */
  connected(socket: Duplex): void {
    // Connections within the process are no clients.
    if (!(socket instanceof Socket)) return;
    const network = networkOf(socket.remoteAddress ?? '');
    const connection: Connection = { socket, network, openedAt: performance.now(), idleSince: undefined };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#remove(connection));
    const ofNetwork = this.#firstOf.get(network) ?? new Set();
    if (ofNetwork.size >= this.#networkMax) this.#cut(oldest(ofNetwork));
    this.#firstOf.set(network, ofNetwork.add(connection));
    if (this.#connections.size >= this.#options.max) this.#cut(this.#longestWaiting());
    this.#first.add(connection);
  }

  /** Records that a connection has sent a complete head. */
  headReceived(socket: Duplex): void {
    const connection = this.#connections.get(socket);
    if (connection !== undefined) this.#stopWaiting(connection);
  }

  /** Tracks a response until it is closed. */
  responseOpened(socket: Duplex, res: ServerResponse): void {
    this.headReceived(socket);
    let open = this.#responses.get(socket);
    if (open === undefined) {
      open = [];
      this.#responses.set(socket, open);
    }
    open.push(res);
    res.once('close', () => this.#responseClosed(socket, open, res));
  }

  /** The open responses of a connection. */
  responsesOf(socket: Duplex): readonly ServerResponse[] {
    return this.#responses.get(socket) ?? [];
  }

  #responseClosed(socket: Duplex, open: ServerResponse[], res: ServerResponse): void {
    if (open.at(-1) === res) open.pop();
    else open.splice(open.indexOf(res), 1);
    const connection = this.#connections.get(socket);
    if (open.length === 0 && connection !== undefined) connection.idleSince = performance.now();
  }

  /** Which connection to close for another one: a slow first head, else what has been idle longest, else any first head. */
  #longestWaiting(): Connection | undefined {
    const first = oldest(this.#first);
    const isSlow = first !== undefined && performance.now() - first.openedAt > this.#options.slowMs;
    return isSlow ? first : (this.#longestIdle() ?? first);
  }

  #longestIdle(): Connection | undefined {
    let longest: Connection | undefined;
    let since = Number.POSITIVE_INFINITY;
    for (const connection of this.#connections.values()) {
      if (connection.idleSince === undefined || connection.idleSince >= since) continue;
      longest = connection;
      since = connection.idleSince;
    }
    return longest;
  }

  #cut(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#options.onCut();
    this.#remove(connection);
    connection.socket.destroy();
  }

  #remove(connection: Connection): void {
    this.#connections.delete(connection.socket);
    this.#stopWaiting(connection);
  }

  #stopWaiting(connection: Connection): void {
    connection.idleSince = undefined;
    if (!this.#first.delete(connection)) return;
    const ofNetwork = this.#firstOf.get(connection.network);
    ofNetwork?.delete(connection);
    if (ofNetwork?.size === 0) this.#firstOf.delete(connection.network);
  }
}

function oldest(connections: ReadonlySet<Connection>): Connection | undefined {
  for (const connection of connections) return connection;
  return undefined;
}
