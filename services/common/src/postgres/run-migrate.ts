import { z } from 'zod';
import { commonSettings, loadConfig, postgresSettings, postgresUrl } from '../config.ts';
import { runMain } from '../run-main.ts';
import { type MigrateOptions, migrate } from './migrate.ts';
import { migrateAsOwnLogin, type Ownership } from './own-login.ts';

/** DATABASE_URL is of the service's login. With ADMIN_DATABASE_URL that login is prepared first. */
const settings = z.object({ ...commonSettings, ...postgresSettings, ADMIN_DATABASE_URL: postgresUrl.optional() });
const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(settings, env);

/** Runs the task that migrates the schema of a service. */
export function runMigrate(options: Omit<MigrateOptions, 'databaseUrl'> & Ownership): void {
  runMain(`${options.schema}-migrate`, readConfig, async (config, logger) => {
    const { DATABASE_URL: databaseUrl, ADMIN_DATABASE_URL: adminUrl } = config;
    const applied =
      adminUrl === undefined
        ? await migrate({ ...options, databaseUrl }, logger)
        : await migrateAsOwnLogin({ ...options, databaseUrl, adminUrl }, logger);
    logger.info({ applied }, 'schema is up to date');
  });
}
