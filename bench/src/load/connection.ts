import { Pool } from 'undici';
import { Exchange } from './exchange.ts';
import type { RequestSpec, Route } from './messages.ts';
import { bodyOf, headersOf, pathOf } from './request.ts';
import type { Tally } from './tally.ts';

/** More than the requests in progress of any run, so that none waits for a connection. */
const CONNECTIONS = 8_192;
/** Longer than any requested response; anything longer is a failure. */
const TIMEOUT_MS = 60_000;

/** Connections to the compared routes, kept alive between runs. */
export class Connections {
  readonly #pools = new Map<string, Pool>();

  /** Returns a function that sends one request, rotating through the keys. */
  sender(route: Route, spec: RequestSpec): (tally: Tally, onEnd: () => void, onFirstByte?: () => void) => void {
    const pool = this.#pool(route.origin);
    const body = bodyOf(spec);
    const path = pathOf(spec);
    const headers = route.keys.map((key) => headersOf(spec, route, key));
    let turn = 0;
    return (tally, onEnd, onFirstByte) => {
      const own = headers[turn] ?? [];
      turn = (turn + 1) % headers.length;
      const options = { path, method: 'POST', headers: own, body } as const;
      pool.dispatch(
        { ...options, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS },
        new Exchange(spec, tally, onEnd, onFirstByte),
      );
    };
  }

  /** Closes them, aborting requests in progress. */
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
