import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findUser, isRoot, type User, userOfId } from '../processes/users.ts';
import type { PostgresBinaries } from './binaries.ts';
import { placeOfPostgres } from './place.ts';

/** The name of the superuser inside our databases. */
export const SUPERUSER = 'tollgate';

const INITDB_TIMEOUT_MS = 60_000;
const run = promisify(execFile);

/** A complete Postgres data folder. */
export interface Cluster {
  /** The folder Postgres writes to. */
  folder: string;
  password: string;
  /** The user that Postgres must run as; undefined for the current one. */
  user: User | undefined;
}

export interface ClusterOptions {
  binaries: PostgresBinaries;
  /** A private folder for the data and the password. */
  folder: string;
  /** False skips fsync while the files are created, for temporary databases. */
  durable: boolean;
}

/**
 * Creates a data folder, or uses the existing one.
 *
 * @throws Error saying what to change if Postgres cannot use the folder
 */
export async function prepareCluster(options: ClusterOptions): Promise<Cluster> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const folder = placeOfPostgres(options.folder, isRoot());
  const passwordFile = join(options.folder, 'postgres-password');
  const exists = existsSync(join(folder, 'PG_VERSION')) && existsSync(passwordFile);
  const user = isRoot() ? unprivilegedUser(exists ? folder : undefined) : undefined;
  if (exists) return { folder, password: readFileSync(passwordFile, 'utf8').trim(), user };

  // An interrupted initdb leaves no password, which is written last, and no data.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const password = randomBytes(18).toString('base64url');
  const pwfile = `${folder}.new-password`;
  writeFileSync(pwfile, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) for (const path of [folder, pwfile]) chownSync(path, user.uid, user.gid);
  try {
    await initdb(options, folder, pwfile, user);
  } finally {
    rmSync(pwfile, { force: true });
  }
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  return { folder, password, user };
}

async function initdb(options: ClusterOptions, folder: string, pwfile: string, user: User | undefined): Promise<void> {
  const args = ['-D', folder, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${pwfile}`, '--encoding=UTF8'];
  args.push('--locale=C', ...(options.durable ? [] : ['--no-sync']));
  try {
    await run(options.binaries.initdb, args, {
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' },
      timeout: INITDB_TIMEOUT_MS,
      ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
    });
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`Postgres could not create its data folder ${folder}:\n${output}`, { cause: error });
  }
}

/** Postgres refuses to run as root. Existing data is used by its owner, even if other users have been added since. */
function unprivilegedUser(existing: string | undefined): User {
  // Its users are not in /etc/passwd.
  if (process.platform === 'darwin')
    throw new Error('Postgres does not run as root: run this as yourself, without sudo');
  const user =
    existing === undefined ? findUser(['postgres', 'nobody', '_postgres']) : userOfId(statSync(existing).uid);
  if (user === undefined || user.uid === 0)
    throw new Error('Postgres does not run as root: add a user "postgres" or "nobody", or run as another user');
  return user;
}
