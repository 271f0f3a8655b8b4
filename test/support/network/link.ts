import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a link does with what is sent through it. */
export type LinkState =
  | { kind: 'open' }
  /** Connections are reset, and new ones refused as soon as they are made. */
  | { kind: 'cut' }
  /** Nothing gets through and no error is reported; everything continues later. */
  | { kind: 'stalled' }
  /** Everything gets through late, each way. */
  | { kind: 'slow'; byMs: number };

/** Held back at most on each way of a connection, before its sender has to wait. */
const MAX_HELD_BYTES = 1_000_000;

/** A proxy before one address, through which one process reaches another, and which can get in between. */
export class Link {
  readonly name: string;
  readonly address: string;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #state: LinkState = { kind: 'open' };
  #target: string;
  #hold: { text: string; way: 'there' | 'back'; caught: () => void } | undefined;

  private constructor(name: string, server: Server, address: string, target: string) {
    this.name = name;
    this.#target = target;
    this.#server = server;
    this.address = address;
  }

  /** Opens a link on a port of its own. @param target `host:port` */
  static async open(name: string, target: string): Promise<Link> {
    const server = createServer({ pauseOnConnect: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error(`${name} has no port`);
    const link = new Link(name, server, `127.0.0.1:${address.port}`, target);
    server.on('connection', (client) => link.#connect(client));
    return link;
  }

  set(state: LinkState): void {
    this.#state = state;
    for (const pair of this.#pairs) {
      if (state.kind === 'cut') pair.reset();
      else pair.wake();
    }
  }

  /**
   * Stalls one way of a connection from the first piece on that holds a text: what went before gets through, and so does
   * what goes the other way.
   *
   * @param way `there` is from the process that connects
   * @returns `caught` resolves once there was such a piece; `release` lets all through
   */
  holdFrom(text: string, way: 'there' | 'back' = 'there'): { caught: Promise<void>; release: () => void } {
    let caught: () => void = () => undefined;
    const promise = new Promise<void>((resolve) => {
      caught = resolve;
    });
    this.#hold = { text, way, caught };
    const release = () => {
      this.#hold = undefined;
      for (const pair of this.#pairs) pair.release();
    };
    return { caught: promise, release };
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.reset();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Leads to another address from now on; connections that are open are reset. */
  moveTo(target: string): void {
    this.#target = target;
    for (const pair of this.#pairs) pair.reset();
  }

  #connect(client: Socket): void {
    if (this.#state.kind === 'cut') {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const colon = this.#target.lastIndexOf(':');
    const target = connect({ host: this.#target.slice(0, colon), port: Number(this.#target.slice(colon + 1)) });
    const pair = new Pair(client, target, {
      state: () => this.#state,
      caught: (way, chunk) => {
        if (this.#hold?.way !== way || !chunk.includes(this.#hold.text)) return false;
        this.#hold.caught();
        return true;
      },
      closed: () => this.#pairs.delete(pair),
    });
    this.#pairs.add(pair);
  }
}

interface PairOptions {
  state: () => LinkState;
  /** Whether a piece is to be held, with all that follows it. */
  caught: (way: 'there' | 'back', chunk: Buffer) => boolean;
  closed: () => void;
}

/** A client's connection and the one made for it. */
class Pair {
  readonly #client: Socket;
  readonly #target: Socket;
  readonly #there: Way;
  readonly #back: Way;

  constructor(client: Socket, target: Socket, options: PairOptions) {
    this.#client = client;
    this.#target = target;
    this.#there = new Way(client, target, options.state, (chunk) => options.caught('there', chunk));
    this.#back = new Way(target, client, options.state, (chunk) => options.caught('back', chunk));
    const end = () => {
      client.destroy();
      target.destroy();
      options.closed();
    };
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.resume();
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#target.resetAndDestroy();
  }

  wake(): void {
    this.#there.wake();
    this.#back.wake();
  }

  release(): void {
    this.#there.release();
    this.#back.release();
  }
}

/** One direction of a connection: pieces in their order, each passed on when the link lets it. */
class Way {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #state: () => LinkState;
  readonly #caught: (chunk: Buffer) => boolean;
  readonly #queue: { chunk: Buffer; at: number }[] = [];
  #bytes = 0;
  #held = false;
  #running = false;
  #ended = false;

  constructor(from: Socket, to: Socket, state: () => LinkState, caught: (chunk: Buffer) => boolean) {
    this.#from = from;
    this.#to = to;
    this.#state = state;
    this.#caught = caught;
    from.on('data', (chunk: Buffer) => {
      this.#queue.push({ chunk, at: performance.now() });
      this.#bytes += chunk.length;
      if (this.#bytes > MAX_HELD_BYTES) from.pause();
      this.wake();
    });
    from.on('end', () => {
      this.#ended = true;
      this.wake();
    });
  }

  wake(): void {
    if (!this.#running) void this.#run();
  }

  release(): void {
    this.#held = false;
    this.wake();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (!this.#held && this.#state().kind !== 'stalled') {
      const next = this.#queue[0];
      if (next === undefined) {
        if (this.#ended) this.#to.end();
        break;
      }
      if (this.#caught(next.chunk)) {
        this.#held = true;
        break;
      }
      const state = this.#state();
      const waitMs = state.kind === 'slow' ? next.at + state.byMs - performance.now() : 0;
      if (waitMs > 0) {
        await delay(waitMs);
        continue;
      }
      this.#queue.shift();
      this.#bytes -= next.chunk.length;
      if (this.#to.writable) this.#to.write(next.chunk);
      if (this.#bytes < MAX_HELD_BYTES && this.#from.isPaused()) this.#from.resume();
    }
    this.#running = false;
  }
}
