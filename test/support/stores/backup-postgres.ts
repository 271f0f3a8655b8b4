import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** Files that a backup of a running Postgres omits. */
const NOT_COPIED = ['pg_wal', 'postmaster.pid', 'postmaster.opts'];

/** A copy of the files of a running Postgres. */
export interface Backup {
  /** Replaces the files with the copy; the server must be stopped. */
  restore: () => Promise<void>;
}

/**
 * Makes a base backup of a running Postgres as in its manual ("Making a Base Backup Using the Low Level API").
 *
 * @param target a folder that does not exist
 */
export async function backUpPostgres(databaseUrl: string, target: string): Promise<Backup> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'tollgate-backup' });
  await client.connect();
  try {
    const { rows } = await client.query<{ folder: string }>(`SELECT current_setting('data_directory') AS folder`);
    const folder = rows[0]?.folder ?? '';
    mkdirSync(target, { mode: 0o700 });
    await client.query(`SELECT pg_backup_start('tollgate', fast => true)`);
    // Files removed during the copy are not needed.
    await run('cp', ['-a', `${folder}/.`, target]).catch(() => undefined);
    for (const name of NOT_COPIED) rmSync(join(target, name), { recursive: true, force: true });
    const stopped = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    const { uid, gid } = statSync(join(folder, 'PG_VERSION'));
    const label = join(target, 'backup_label');
    writeFileSync(label, stopped.rows[0]?.labelfile ?? '', { mode: 0o600 });
    chownSync(label, uid, gid);
    await run('cp', ['-a', join(folder, 'pg_wal'), join(target, 'pg_wal')]);
    return {
      restore: async () => {
        rmSync(folder, { recursive: true });
        await run('cp', ['-a', target, folder]);
        chownSync(folder, uid, gid);
      },
    };
  } finally {
    await client.end();
  }
}
