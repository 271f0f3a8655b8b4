import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { networkOf } from './client-network.ts';

/** The part of all connections on which one network may send its first head. */
const NETWORK_SHARE = 1 / 4;
/** So that not every new connection searches all others. */
const FOUND_AT_ONCE = 100;

/** A network connection of a client. */
interface Connection {
  readonly socket: Socket;
  readonly network: string;
  /** Since when it has been waiting for its first head, busy, or idle. */
  since: number;
  /** Between two requests. */
  isIdle: boolean;
}

export interface ConnectionsOptions {
  max: number;
  /** After this time, a first head or a body that is incomplete is slow. */
  slowMs: number;
  /** Called for each connection that is closed so that others can be opened. */
  onCut: () => void;
}

/**
 * The connections of a server and their open responses. To wait for a request costs a client nothing, so a network may
 * have only a part of all connections without a complete head, and if all are in use, one that waits is closed for the
 * next. All connections of a proxy come from one network; it sends complete heads, so that the share does not concern it.
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
  /** The last search's connections, with the time since when they waited; the first to go last. */
  #found: { connection: Connection; since: number }[] = [];

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#networkMax = Math.max(1, Math.floor(options.max * NETWORK_SHARE));
  }

  /** Counts a new connection until it is closed, and makes room for the next one. */
  connected(socket: Duplex): void {
    // Connections within the process are no clients.
    if (!(socket instanceof Socket)) return;
    const network = networkOf(socket.remoteAddress ?? '');
    const connection: Connection = { socket, network, since: performance.now(), isIdle: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => this.#remove(connection));
    const ofNetwork = this.#firstOf.get(network) ?? new Set();
    if (ofNetwork.size >= this.#networkMax) this.#cut(oldest(ofNetwork));
    this.#firstOf.set(network, ofNetwork.add(connection));
    if (this.#connections.size >= this.#options.max) this.#cut(this.#replaceable());
    this.#first.add(connection);
  }

  /** Records that a connection has sent a complete head. */
  headReceived(socket: Duplex): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    this.#hasHead(connection);
    this.#changed(connection, false);
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
    if (open.length === 0 && connection !== undefined) this.#changed(connection, true);
  }

  #changed(connection: Connection, isIdle: boolean): void {
    connection.isIdle = isIdle;
    connection.since = performance.now();
  }

  /** Which connection to close for another one: a slow head, else what has been idle longest, else a slow body. */
  #replaceable(): Connection | undefined {
    const slowSince = performance.now() - this.#options.slowMs;
    const first = oldest(this.#first);
    if (first !== undefined && first.since < slowSince) return first;
    const found = this.#nextFound();
    if (found !== undefined) return found;
    this.#search(slowSince);
    return this.#nextFound() ?? first;
  }

  /** The next one that was found and is still in the state in which it was found. */
  #nextFound(): Connection | undefined {
    for (let found = this.#found.pop(); found !== undefined; found = this.#found.pop()) {
      const { connection, since } = found;
      const isOpen = this.#connections.get(connection.socket) === connection;
      if (isOpen && connection.since === since && (connection.isIdle || this.#hasIncompleteBody(connection)))
        return connection;
    }
    return undefined;
  }

  /** Finds the connections that have been idle longest; if none is, those with slow bodies. */
  #search(slowSince: number): void {
    const all = [...this.#connections.values()];
    const idle = all.filter(({ isIdle }) => isIdle);
    const waiting =
      idle.length > 0 ? idle : all.filter((each) => each.since < slowSince && this.#hasIncompleteBody(each));
    waiting.sort((one, other) => other.since - one.since);
    this.#found = waiting.slice(-FOUND_AT_ONCE).map((connection) => ({ connection, since: connection.since }));
  }

  #hasIncompleteBody({ socket }: Connection): boolean {
    return this.responsesOf(socket).some(({ req }) => !req.complete);
  }

  #cut(connection: Connection | undefined): void {
    if (connection === undefined) return;
    this.#options.onCut();
    this.#remove(connection);
    connection.socket.destroy();
  }

  #remove(connection: Connection): void {
    this.#connections.delete(connection.socket);
    this.#hasHead(connection);
  }

  #hasHead(connection: Connection): void {
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
