import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { requireSchema } from '@tollgate/common/postgres/migrate';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { Config } from './config.ts';
import { saveDefaultThresholds } from './events/thresholds.ts';
import { ensurePartitions } from './store/partitions.ts';
import { MIGRATIONS_FOLDER, SCHEMA } from './store/schema.ts';

const INTERVAL_MS = 1_000;

export interface Waiting {
  /** Told why the ledger cannot start yet. */
  onProblem: (problem: string) => void;
  /** Ends the wait. */
  signal: AbortSignal;
}

/**
 * Waits until Postgres answers with a schema that the ledger can use, as while its migrations run, and makes ready what
 * the ledger needs in it.
 *
 * @returns false when the wait was ended
 */
export async function prepareDatabase(
  pool: Pool,
  config: Config,
  logger: Logger,
  { onProblem, signal }: Waiting,
): Promise<boolean> {
  let told: string | undefined;
  while (!signal.aborted) {
    try {
      await requireSchema(pool, SCHEMA, MIGRATIONS_FOLDER);
      await ensurePartitions(pool, Date.now(), config.CHARGE_MAX_AGE_MS, logger);
      await saveDefaultThresholds(pool, config.LOW_BALANCE_THRESHOLDS, logger);
      return true;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== told) logger.warn({ reason: problem }, 'not serving');
      told = problem;
      onProblem(problem);
    }
    await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
