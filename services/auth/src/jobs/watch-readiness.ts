import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { readMigrations, requireSchema } from '@tollgate/common/postgres/migrate';
import type { Pool } from '@tollgate/common/postgres/pool';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { SCHEMA } from '../store/schema.ts';

const INTERVAL_MS = 1_000;

export interface ReadinessOptions {
  pool: Pool;
  logger: Logger;
  setServing: (serving: boolean, reason?: string) => void;
}

/**
 * Keeps the health status up to date: serving while Postgres responds and its schema is new enough.
 *
 * @returns a function that ends it
 */
export function watchReadiness({ pool, logger, setServing }: ReadinessOptions): () => Promise<void> {
  const migrations = readMigrations(MIGRATIONS_FOLDER);
  const stopping = new AbortController();
  const run = async () => {
    let serving: boolean | undefined;
    while (!stopping.signal.aborted) {
      const problem = await requireSchema(pool, SCHEMA, migrations).then(() => undefined, messageOf);
      if (stopping.signal.aborted) break;
      const ready = problem === undefined;
      setServing(ready, problem);
      if (ready !== serving) {
        serving = ready;
        if (ready) logger.info('serving');
        else logger.warn({ reason: problem }, 'not serving');
      }
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    setServing(false, 'stopping');
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
