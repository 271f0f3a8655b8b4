import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection, type Target } from './raw-connection.ts';

/** Pause of each client between requests, so that the light load of valid keys causes no waits. */
const PAUSE_MS = 20;

/** Results of clients with valid keys. */
export interface Experience {
  latenciesMs: number[];
  /** Responses by status. */
  statuses: Record<string, number>;
}

/** Clients that each use one valid key, one request at a time, until stopped. */
export class GoodKeys {
  readonly #target: Target;
  readonly #keys: readonly string[];

  constructor(target: Target, keys: readonly string[]) {
    this.#target = target;
    this.#keys = keys;
  }

  /** Uses all keys until the signal aborts. */
  async use(signal: AbortSignal): Promise<Experience> {
    const experience: Experience = { latenciesMs: [], statuses: {} };
    await Promise.all(this.#keys.map((key) => this.#client(key, signal, experience)));
    return experience;
  }

  /** Uses each key once, in sequence. */
  async useOnce(): Promise<Experience> {
    const experience: Experience = { latenciesMs: [], statuses: {} };
    const connection = new RawConnection(this.#target);
    for (const key of this.#keys) await ask(connection, key, experience);
    connection.close();
    return experience;
  }

  async #client(key: string, signal: AbortSignal, experience: Experience): Promise<void> {
    const connection = new RawConnection(this.#target);
    while (!signal.aborted) {
      await ask(connection, key, experience);
      await delay(PAUSE_MS);
    }
    connection.close();
  }
}

async function ask(connection: RawConnection, key: string, { latenciesMs, statuses }: Experience): Promise<void> {
  const startedAt = performance.now();
  const status = await connection.ask(key).then(String, () => 'failed');
  latenciesMs.push(performance.now() - startedAt);
  statuses[status] = (statuses[status] ?? 0) + 1;
}
