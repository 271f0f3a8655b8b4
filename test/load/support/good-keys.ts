import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection, type Target } from './raw-connection.ts';

/** Pause of each client between its requests: the load of good keys is light, so that its own waits do not show. */
const PAUSE_MS = 20;

/** What clients with good keys met. */
export interface Experience {
  latenciesMs: number[];
  /** How many answers had each status. */
  statuses: Record<string, number>;
}

/** Clients that each use a good key of theirs, one request at a time, until they are stopped. */
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

  /** Uses each key once, one after the other. */
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
