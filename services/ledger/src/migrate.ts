import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import { runMain } from '@tollgate/common/shutdown';
import { z } from 'zod';
import { MIGRATIONS_FOLDER, SCHEMA } from './migrations-folder.ts';

const logger = createLogger('ledger-migrate', process.env['LOG_LEVEL'] ?? 'info');

/** Brings the schema `ledger` up to date and ends. */
runMain(logger, async () => {
  const config = loadConfig(z.object({ ...commonSettings, ...postgresSettings }), process.env);
  const options = { databaseUrl: config.DATABASE_URL, schema: SCHEMA, folder: MIGRATIONS_FOLDER };
  const applied = await migrate(options, logger);
  logger.info({ applied }, 'schema is up to date');
});
