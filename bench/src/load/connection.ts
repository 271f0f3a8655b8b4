import { Pool } from 'undici';
import { Exchange } from './exchange.ts';
import type { Ask, Way } from './messages.ts';
import { bodyOf, headersOf, pathOf } from './request.ts';
import type { Tally } from './tally.ts';

/** More than any run has in progress, so that no request waits for a connection. */
const CONNECTIONS = 2_048;
/** Longer than any answer asked for; what takes longer is a failure. */
const TIMEOUT_MS = 60_000;

/** Connections to the ways compared, kept alive between runs. */
export class Connections {
  readonly #pools = new Map<string, Pool>();

  /** A function that sends one request; keys are used in turn. */
  sender(way: Way, ask: Ask): (tally: Tally, onEnd: () => void, onFirstByte?: (ms: number) => void) => void {
    const pool = this.#pool(way.origin);
    const body = bodyOf(ask);
    const path = pathOf(ask);
    const headers = way.keys.map(headersOf);
    let turn = 0;
    return (tally, onEnd, onFirstByte) => {
      const own = headers[turn] ?? [];
      turn = (turn + 1) % headers.length;
      const options = { path, method: 'POST', headers: own, body } as const;
      pool.dispatch(
        { ...options, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS },
        new Exchange(ask, tally, onEnd, onFirstByte),
      );
    };
  }

  /** Closes them, cutting what is in progress. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
    this.#pools.clear();
  }

  #pool(origin: string): Pool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1, keepAliveTimeout: 60_000 });
      this.#pools.set(origin, pool);
    }
    return pool;
  }
}
