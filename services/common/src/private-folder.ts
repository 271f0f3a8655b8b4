import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Creates a folder that only this user can enter, or removes the access of other users to an existing one and to the files
 * directly in it. Files of other users stay as they are, such as a volume that a cluster mounts, and so does a folder that
 * users share on purpose, such as /tmp. By hand because `mkdir` sets the mode of new folders only.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((lstatSync(folder).mode & STICKY) !== 0) return;
  removeOthersAccess(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) removeOthersAccess(join(folder, entry.name));
  }
}

function removeOthersAccess(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.geteuid?.()) return;
  if ((stats.mode & OTHERS) !== 0) chmodSync(path, stats.mode & 0o700);
}
