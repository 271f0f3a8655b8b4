import { loadConfig, postgresSettings } from '@tollgate/common/config';
import { createLogger } from '@tollgate/common/logging';
import { migrate } from '@tollgate/common/postgres/migrate';
import { z } from 'zod';
import { MIGRATIONS, SCHEMA } from './migrations.ts';

const logger = createLogger('auth-migrate', process.env['LOG_LEVEL'] ?? 'info');

try {
  const { DATABASE_URL } = loadConfig(z.object({ DATABASE_URL: postgresSettings.DATABASE_URL }), process.env);
  const applied = await migrate({ databaseUrl: DATABASE_URL, schema: SCHEMA, folder: MIGRATIONS }, logger);
  logger.info({ schema: SCHEMA, applied: applied.length }, 'schema is up to date');
} catch (error) {
  logger.fatal({ err: error }, 'migration failed');
  process.exitCode = 1;
}
