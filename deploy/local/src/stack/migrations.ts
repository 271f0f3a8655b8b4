import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CHECKOUT } from './services.ts';

const TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/**
 * Brings the schemas of all services up to date.
 *
 * @throws Error with what the migration printed
 */
export async function runMigrations(databaseUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
  await Promise.all(['auth', 'ledger'].map((service) => migrate(service, databaseUrl, env)));
}

async function migrate(service: string, databaseUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
  const options = { cwd: CHECKOUT, env: { ...env, DATABASE_URL: databaseUrl }, timeout: TIMEOUT_MS };
  try {
    await run(process.execPath, [`services/${service}/src/tasks/migrate.ts`], options);
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout).trim() : '';
    throw new Error(`the database of ${service} could not be brought up to date:\n${output}`, { cause: error });
  }
}
