import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isRunning, startOf } from '@tollgate/common/processes';

/** How often the holder touches the lock. */
const TOUCH_INTERVAL_MS = 2_000;

/** A lock of another host (a pod on the same volume) that is untouched for this long is stale. */
const OTHER_HOST_STALE_MS = 15_000;

/** Another live process uses the folder. */
export class FolderLockedError extends Error {
  override readonly name = 'FolderLockedError';
}

export interface FolderLock {
  release: () => Promise<void>;
}

interface Owner {
  pid: number;
  /** When the process started, in the kernel's clock ticks; empty where that is unknown. */
  started: string;
  host: string;
}

/**
 * Locks a folder for this process by a file `lock` in it that names the process. The lock of a dead process is taken
 * over, even if its pid was reused, as happens in containers.
 *
 * @throws FolderLockedError while another process uses it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const own: Owner = { pid: process.pid, started: startOf(process.pid), host: hostname() };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await createLock(path, own)) return keepLock(path, JSON.stringify(own));
    await removeIfStale(path);
  }
  throw new FolderLockedError(`the folder ${folder} is used by another process`);
}

async function createLock(path: string, own: Owner): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.write(JSON.stringify(own));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Renames a stale lock before removing it. If another process was faster, the renamed file is its new lock, and is renamed
 * back.
 */
async function removeIfStale(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path);
    const text = await readFile(path, 'utf8');
    const owner = parseOwner(text);
    const ageMs = Date.now() - mtimeMs;
    if (isAlive(owner, ageMs)) throw new FolderLockedError(`${path} is held by process ${owner?.pid ?? 'unknown'}`);
    const renamed = `${path}.stale-${process.pid}`;
    await rename(path, renamed);
    if ((await readFile(renamed, 'utf8')) !== text) {
      await rename(renamed, path);
      throw new FolderLockedError(`${path} was taken over by another process`);
    }
    await rm(renamed, { force: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function isAlive(owner: Owner | undefined, ageMs: number): boolean {
  // A lock without content was just created, or its process died at that moment.
  if (owner === undefined || owner.host !== hostname()) return ageMs < OTHER_HOST_STALE_MS;
  return isRunning(owner.pid) && startOf(owner.pid) === owner.started;
}

function keepLock(path: string, text: string): FolderLock {
  const isOwn = async () => (await readFile(path, 'utf8')) === text;
  const touch = async () => {
    const now = new Date();
    if (await isOwn()) await utimes(path, now, now);
  };
  // A failed touch soon shows as a failed write of the journal.
  const timer = setInterval(() => touch().catch(() => undefined), TOUCH_INTERVAL_MS);
  timer.unref();
  return {
    release: async () => {
      clearInterval(timer);
      if (await isOwn()) await rm(path, { force: true });
    },
  };
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    if (!('pid' in value) || typeof value.pid !== 'number') return undefined;
    if (!('started' in value) || typeof value.started !== 'string') return undefined;
    if (!('host' in value) || typeof value.host !== 'string') return undefined;
    return { pid: value.pid, started: value.started, host: value.host };
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
