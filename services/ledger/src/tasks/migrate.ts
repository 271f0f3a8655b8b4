import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { migrate } from '@tollgate/common/postgres/migrate';
import { runMain } from '@tollgate/common/run-main';
import { z } from 'zod';
import { MIGRATIONS_FOLDER } from '../folders.ts';
import { SCHEMA } from '../store/schema.ts';

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(z.object({ ...commonSettings, ...postgresSettings }), env);

/** Migrates the schema `ledger`. */
runMain('ledger-migrate', readConfig, async (config, logger) => {
  const options = { databaseUrl: config.DATABASE_URL, schema: SCHEMA, folder: MIGRATIONS_FOLDER };
  const applied = await migrate(options, logger);
  logger.info({ applied }, 'schema is up to date');
});
