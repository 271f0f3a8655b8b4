import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { closedAncestor } from '../processes/users.ts';
import { makeSharedFolder, SHARED_FOLDER } from './shared-folder.ts';

/** Names in the shared folder, one per Postgres. */
const PREFIX = 'data-';

/**
 * Returns the folder of Postgres's own files: `postgres` in the data folder, unless root's Postgres, which runs as
 * another user, cannot enter that. Then they are in a shared folder, and the file `postgres-place` in the data folder
 * contains their path. Removes files in the shared folder whose data folder no longer exists.
 *
 * @param folder the data folder, which exists
 */
export function placeOfPostgres(folder: string, root: boolean, shared = SHARED_FOLDER): string {
  if (!root) return join(folder, 'postgres');
  removeOrphans(shared);
  const pointer = join(folder, 'postgres-place');
  if (existsSync(pointer)) return readFileSync(pointer, 'utf8').trim();
  if (closedAncestor(dirname(folder)) === undefined) {
    // Others may pass through the folder, but not list it.
    const { mode } = statSync(folder);
    if ((mode & 0o001) === 0) chmodSync(folder, mode | 0o001);
    return join(folder, 'postgres');
  }
  const own = join(shared, `${PREFIX}${randomBytes(6).toString('hex')}`);
  const place = join(own, 'postgres');
  makeSharedFolder(shared);
  mkdirSync(own);
  chmodSync(own, 0o711);
  writeFileSync(join(own, 'belongs-to'), pointer, { mode: 0o600 });
  writeFileSync(pointer, place, { mode: 0o600 });
  return place;
}

function removeOrphans(shared: string): void {
  if (!existsSync(shared)) return;
  for (const name of readdirSync(shared)) {
    if (!name.startsWith(PREFIX)) continue;
    const own = join(shared, name);
    const isRunning = existsSync(join(own, 'postgres/postmaster.pid'));
    if (!isRunning && !isPointedTo(own)) rmSync(own, { recursive: true, force: true });
  }
}

function isPointedTo(own: string): boolean {
  try {
    const pointer = readFileSync(join(own, 'belongs-to'), 'utf8');
    return readFileSync(pointer, 'utf8').trim() === join(own, 'postgres');
  } catch {
    return false;
  }
}
