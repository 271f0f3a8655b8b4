import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { databaseUrl } from '../services/addresses.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/** The services with a schema, in the order in which they are migrated. */
const SERVICES = ['auth', 'ledger', 'console'] as const;

export function addMigrateCommand(program: Command, io: Io): void {
  program
    .command('migrate')
    .description('migrate the database (env DATABASE_URL); safe to repeat and to run concurrently')
    .action(async () => {
      const url = databaseUrl(io);
      for (const service of SERVICES) await runMigrations(service, { ...io.env, DATABASE_URL: url });
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
