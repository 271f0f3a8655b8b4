import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { readMigrations, requireSchema } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { runMain } from '@tollgate/common/run-main';
import { z } from 'zod';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { raiseEpoch } from '../store/meta.ts';
import { SCHEMA } from '../store/schema.ts';

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(z.object({ ...commonSettings, ...postgresSettings }), env);

/**
 * Run this after the database was restored from a backup, before the ledger starts: it fences the sessions whose leases the
 * backup may not contain. The ingresses then open new ones.
 */
runMain('ledger-raise-epoch', readConfig, async (config, logger) => {
  const pool = createPool(
    { url: config.DATABASE_URL, size: 1, applicationName: 'tollgate-ledger-raise-epoch' },
    logger,
  );
  try {
    await requireSchema(pool, SCHEMA, readMigrations(MIGRATIONS_FOLDER));
    const epoch = await raiseEpoch(pool);
    logger.info({ epoch: epoch.toString() }, 'epoch raised, older sessions are fenced');
  } finally {
    await pool.end();
  }
});
