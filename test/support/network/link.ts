import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The state of a link. */
export type LinkState =
  | { kind: 'open' }
  /** Resets connections, and new ones at once. */
  | { kind: 'cut' }
  /** Delivers nothing and reports no error until the state changes. */
  | { kind: 'stalled' }
  /** Delays everything in both directions. */
  | { kind: 'slow'; byMs: number };

/** Maximum buffer of each direction of a connection, before backpressure. */
const MAX_HELD_BYTES = 1_000_000;

/** A proxy in front of one address, which can disturb the connections of one process to another. */
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

  /** Opens a link on a new port. @param target `host:port` */
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
   * Stalls one direction of a connection from the first piece that contains a text on. Earlier pieces and the other
   * direction continue.
   *
   * @param way `there` is from the connecting process
   * @returns `caught` resolves once there was such a piece; `release` delivers everything
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

  /** Changes the target address, and resets open connections. */
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
  /** Whether a piece and all that follow are held. */
  caught: (way: 'there' | 'back', chunk: Buffer) => boolean;
  closed: () => void;
}

/** A client's connection and the one to the target. */
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

/** One direction of a connection: pieces in order, delivered according to the link's state. */
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
