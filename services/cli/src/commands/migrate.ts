import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/** The services with a schema, in the order in which they are migrated, and the variables of their own logins. */
const SERVICES = [
  ['auth', 'AUTH_DATABASE_URL'],
  ['ledger', 'LEDGER_DATABASE_URL'],
  ['console', 'CONSOLE_DATABASE_URL'],
] as const;

export function addMigrateCommand(program: Command, io: Io): void {
  program
    .command('migrate')
    .description(
      'migrate the database (env DATABASE_URL; with AUTH_, LEDGER_ and CONSOLE_DATABASE_URL each service gets its own ' +
        'login); safe to repeat and to run concurrently',
    )
    .action(async () => {
      const url = io.env['DATABASE_URL'] ?? '';
      for (const [service, variable] of SERVICES) {
        const own = io.env[variable] || undefined;
        const urls = own === undefined ? { DATABASE_URL: url } : { DATABASE_URL: own, ADMIN_DATABASE_URL: url };
        await runMigrations(service, { ...io.env, ...urls });
      }
    });
}

/** Runs the migration task of a service; its output is passed through. */
async function runMigrations(service: string, env: NodeJS.ProcessEnv): Promise<void> {
  const program = fileURLToPath(new URL(`../../../${service}/src/tasks/migrate.ts`, import.meta.url));
  const child = spawn(process.execPath, [program], { env, stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  if (code !== 0) throw new CommandFailure(`the migrations of ${service} failed`);
}
