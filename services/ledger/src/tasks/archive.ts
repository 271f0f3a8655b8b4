import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { readMigrations, requireSchema } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { runMain } from '@tollgate/common/run-main';
import { z } from 'zod';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { withRetries } from '../store/retry.ts';
import { SCHEMA } from '../store/schema.ts';
import { monthName } from '../store/time.ts';
import { archiveOldest } from './archive-month.ts';

/** A month such as `2026-01`, as the Unix milliseconds of its start. */
const month = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-01')
  .transform((text) => Date.parse(`${text}-01T00:00:00Z`));

const settings = z.object({ ...commonSettings, ...postgresSettings, ARCHIVE_BEFORE: month });
const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(settings, env);

/**
 * Archives the months before ARCHIVE_BEFORE, oldest first. It may run beside the ledger, and be interrupted and run again:
 * each month is archived in one transaction.
 */
runMain('ledger-archive', readConfig, async (config, logger) => {
  const pool = createPool({ url: config.DATABASE_URL, size: 2, applicationName: 'tollgate-ledger-archive' }, logger);
  try {
    await requireSchema(pool, SCHEMA, readMigrations(MIGRATIONS_FOLDER));
    for (;;) {
      const monthMs = await withRetries(() => archiveOldest(pool, config.ARCHIVE_BEFORE, Date.now()));
      if (monthMs === undefined) break;
      logger.info({ month: monthName(monthMs) }, 'month archived');
    }
    logger.info('nothing more to archive; dump the tables of the schema ledger_archive, then drop them');
  } finally {
    await pool.end();
  }
});
