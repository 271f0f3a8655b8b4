import { createRequire, syncBuiltinESMExports } from 'node:module';
import { currentActor } from './virtual-time.ts';

/** Functions of `node:fs/promises` that are used; each has a synchronous form. */
const OPERATIONS = [
  'copyFile',
  'link',
  'mkdir',
  'mkdtemp',
  'readdir',
  'readFile',
  'rename',
  'rm',
  'stat',
  'truncate',
  'utimes',
  'writeFile',
] as const;

/** Those that change a file's contents and modification time. */
const CHANGES: ReadonlySet<string> = new Set(['truncate', 'writeFile']);

type Files = typeof import('node:fs');

/** The disks of a history. */
export const disk = {
  /** How long a file takes to be read, in virtual time. */
  readMs: 0,
};

/**
 * Makes each operation of `node:fs/promises` resolve in the same turn of the event loop. Otherwise the speed of the disk
 * would decide which process of a history continues first. Files get virtual modification times, and folders are listed in
 * order of names. `writeSync` is left as it is, except for modification times. It cannot be undone.
 */
export function installImmediateFiles(nowMs: () => number): void {
  const require = createRequire(import.meta.url);
  const files: Files = require('node:fs');
  const touch = (file: string | number) => {
    const seconds = nowMs() / 1_000;
    if (typeof file === 'string') files.utimesSync(file, seconds, seconds);
    else files.futimesSync(file, seconds, seconds);
  };
  const replacements = OPERATIONS.map((name) => {
    const operation: unknown = files[`${name}Sync`];
    if (typeof operation !== 'function') throw new Error(`there is no ${name}Sync`);
    const prompt = async (...args: unknown[]): Promise<unknown> => {
      if (name === 'readFile' && disk.readMs > 0 && currentActor() !== undefined) await delay(disk.readMs);
      const result: unknown = Reflect.apply(operation, files, args);
      if (CHANGES.has(name)) touch(String(args[0]));
      return name === 'readdir' && Array.isArray(result) ? result.sort() : result;
    };
    return [name, prompt] as const;
  });
  const { writeSync } = files;
  const opened = new Set<number>();
  const writeAndTouch = (fd: number, ...args: unknown[]): unknown => {
    const written: unknown = Reflect.apply(writeSync, files, [fd, ...args]);
    if (opened.has(fd)) touch(fd);
    return written;
  };
  const open = async (path: string, flags: string, mode: number) => {
    const fd = files.openSync(path, flags, mode);
    opened.add(fd);
    touch(fd);
    return {
      fd,
      write: async (...args: unknown[]) => ({ bytesWritten: writeAndTouch(fd, ...args) }),
      truncate: async (length: number) => files.ftruncateSync(fd, length),
      close: async () => {
        opened.delete(fd);
        files.closeSync(fd);
      },
    };
  };
  Object.assign(files, { writeSync: writeAndTouch });
  Object.assign(require('node:fs/promises'), Object.fromEntries(replacements), { open });
  syncBuiltinESMExports();
}

/** Waits by the virtual timers of the actor that reads. */
function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
