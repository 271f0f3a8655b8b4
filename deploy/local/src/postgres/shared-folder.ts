import { chmodSync, mkdirSync } from 'node:fs';

/** Root's folder for files that other users need: every user can enter it, only root can write to it. */
export const SHARED_FOLDER = '/var/lib/tollgate';

/** Creates it, regardless of root's umask. */
export function makeSharedFolder(folder = SHARED_FOLDER): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
