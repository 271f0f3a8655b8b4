import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Makes a folder that only this user can enter, or withdraws other users' access to one that exists and to the files
 * directly in it. What another user owns stays as it is, such as a volume that a cluster mounts, and so does a folder that
 * users share on purpose, such as /tmp.
 */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((lstatSync(folder).mode & STICKY) !== 0) return;
  withdrawFromOthers(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) withdrawFromOthers(join(folder, entry.name));
  }
}

function withdrawFromOthers(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.uid !== process.geteuid?.()) return;
  if ((stats.mode & OTHERS) !== 0) chmodSync(path, stats.mode & 0o700);
}
