import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { START_OVER } from '@tollgate/common/postgres/migrate';
import type { DatabaseUrls } from '../postgres/logins.ts';
import { CHECKOUT } from './services.ts';

const TIMEOUT_MS = 120_000;
/** Services with a schema of their own. */
const SCHEMAS = ['auth', 'ledger', 'console', 'payments'] as const;
const run = promisify(execFile);

/**
 * Migrates the schemas of all services.
 *
 * @param data the folder of the database, unless the database is external
 * @throws Error with the output of the migration, or with how to start over
 */
export async function runMigrations(urls: DatabaseUrls, env: NodeJS.ProcessEnv, data?: string): Promise<void> {
  await Promise.all(SCHEMAS.map((service) => migrate(service, urls, env, data)));
}

async function migrate(
  service: Exclude<keyof DatabaseUrls, 'admin'>,
  { admin, [service]: own }: DatabaseUrls,
  env: NodeJS.ProcessEnv,
  data: string | undefined,
): Promise<void> {
  const urls = { DATABASE_URL: own, ADMIN_DATABASE_URL: own === admin ? '' : admin };
  const options = { cwd: CHECKOUT, env: { ...env, ...urls }, timeout: TIMEOUT_MS };
  try {
    await run(process.execPath, [`services/${service}/src/tasks/migrate.ts`], options);
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout).trim() : '';
    if (data !== undefined && output.includes(START_OVER)) {
      throw new Error(
        `${data} holds data of an incompatible version of Tollgate; delete that folder to start over without accounts and balances`,
        { cause: error },
      );
    }
    throw new Error(`the database of ${service} could not be brought up to date:\n${output}`, { cause: error });
  }
}
