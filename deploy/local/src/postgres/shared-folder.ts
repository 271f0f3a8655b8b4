import { chmodSync, mkdirSync } from 'node:fs';

/** Root's place for what other users must be able to reach: every user can enter it and only root can write to it. */
export const SHARED_FOLDER = '/var/lib/tollgate';

/** Makes it, whatever root's umask is. */
export function makeSharedFolder(folder = SHARED_FOLDER): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
