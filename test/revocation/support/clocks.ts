import { shiftClock } from '@tollgate/test-support/clock/shift-clock';
import type { DatabaseClock } from '@tollgate/test-support/stores/database-clock';
import type { Disturbances } from './disturbances.ts';

/** The clock that auth reads from the database. */
export const DATABASE = 'database';

export interface ClocksOptions {
  /** Folder from which processes read their clock's shift, in files named by their ports. */
  folder: string;
  database: DatabaseClock;
  /** Ports of ingresses and auths by their names. */
  ports: ReadonlyMap<string, string>;
  pidOf: (name: string) => number | undefined;
  disturbances: Disturbances;
}

/** Wall clocks of single processes and of the database, never the machine's. */
export class Clocks {
  readonly #options: ClocksOptions;

  constructor(options: ClocksOptions) {
    this.#options = options;
  }

  /** Names of the clocks that can be moved. */
  get names(): string[] {
    return [DATABASE, ...this.#options.ports.keys()];
  }

  /** Moves one clock for a time, and then restores it. */
  async during<T>(name: string, byMs: number, run: () => Promise<T>): Promise<T> {
    const over = this.#options.disturbances.begin(`clock of ${name}`, 'clock moved');
    try {
      await this.#shift(name, byMs);
      return await run();
    } finally {
      await this.#shift(name, 0);
      over();
    }
  }

  async #shift(name: string, byMs: number): Promise<void> {
    const { folder, database, ports, pidOf } = this.#options;
    if (name === DATABASE) {
      await database.shift(byMs);
      return;
    }
    const port = ports.get(name);
    const pid = pidOf(name);
    if (port === undefined || pid === undefined) throw new Error(`there is no ${name}`);
    shiftClock(folder, { pid, port }, byMs);
  }
}
