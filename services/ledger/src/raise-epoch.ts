import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { createLogger } from '@tollgate/common/logging';
import { requireSchema } from '@tollgate/common/postgres/migrate';
import { createPool } from '@tollgate/common/postgres/pool';
import { runMain } from '@tollgate/common/shutdown';
import { z } from 'zod';
import { MIGRATIONS_FOLDER, SCHEMA } from './migrations-folder.ts';
import { raiseEpoch } from './store/raise-epoch.ts';

const logger = createLogger('ledger-raise-epoch', process.env['LOG_LEVEL'] ?? 'info');

/**
 * To be run after the database was restored from a backup, before the ledger starts: fences the sessions whose leases the
 * backup may not know. The ingresses open new ones by themselves.
 */
runMain(logger, async () => {
  const config = loadConfig(z.object({ ...commonSettings, ...postgresSettings }), process.env);
  const pool = createPool(
    { url: config.DATABASE_URL, size: 1, applicationName: 'tollgate-ledger-raise-epoch' },
    logger,
  );
  try {
    await requireSchema(pool, SCHEMA, MIGRATIONS_FOLDER);
    const epoch = await raiseEpoch(pool);
    logger.info({ epoch: epoch.toString() }, 'epoch raised, older sessions are fenced');
  } finally {
    await pool.end();
  }
});
