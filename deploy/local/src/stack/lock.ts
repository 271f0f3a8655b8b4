import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '@tollgate/common/private-folder';
import { isRunning, startOf } from '@tollgate/common/processes';

/** A data folder is used by one stack at a time. */
export interface DataLock {
  release: () => void;
}

/**
 * Locks a data folder for this process and revokes other users' access to it. Takes over the lock of a killed process.
 *
 * @throws Error if another living process holds it
 */
export function lockData(folder: string): DataLock {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'lock');
  const own = `${process.pid} ${startOf(process.pid)}`;
  for (let tried = 0; tried < 3; tried += 1) {
    try {
      writeFileSync(file, own, { flag: 'wx', mode: 0o600 });
      for (const each of [folder, join(folder, 'journal')]) makePrivateFolder(each);
      let held = true;
      const release = () => {
        if (held) rmSync(file, { force: true });
        held = false;
      };
      return { release };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = livingHolder(file);
    if (holder !== undefined) {
      throw new Error(
        `Tollgate already runs on this data (process ${holder}, ${folder}). ` +
          'Stop that one first, or give this one a folder of its own: TOLLGATE_DATA=folder make up',
      );
    }
    rmSync(file, { force: true });
  }
  throw new Error(`the data folder ${folder} could not be locked: other processes keep locking it`);
}

function livingHolder(file: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const [pid = '', start = ''] = text.split(' ');
  const holder = Number.parseInt(pid, 10);
  if (!Number.isSafeInteger(holder) || holder <= 0) return undefined;
  return isRunning(holder) && start === startOf(holder) ? holder : undefined;
}
