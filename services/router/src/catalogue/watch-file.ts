import { type FSWatcher, type Stats, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '@tollgate/common/logging';

/** Changes within this time count as one: writers write in several steps. */
const DEBOUNCE_MS = 100;

export interface FileWatch {
  stop: () => void;
}

/**
 * Calls back when a file may have changed. The folder is watched, because a watch of the file itself misses that it is
 * replaced, or reached by a symlink that is swapped, as in a ConfigMap of Kubernetes. The file's status is polled too,
 * because some file systems send no notifications. By hand because Node's watchFile and watch each do half of it.
 */
export function watchFile(file: string, pollMs: number, logger: Logger, onChange: () => void): FileWatch {
  let debounce: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(debounce);
    debounce = setTimeout(onChange, DEBOUNCE_MS);
  };
  const watcher = watchFolder(dirname(file), logger, changed);
  let last: string | undefined;
  const poll = setInterval(() => {
    stat(file)
      .then(fingerprint, () => 'absent')
      .then((current) => {
        if (last !== undefined && current !== last) changed();
        last = current;
      });
  }, pollMs);
  return {
    stop: () => {
      clearTimeout(debounce);
      clearInterval(poll);
      watcher?.close();
    },
  };
}

function watchFolder(folder: string, logger: Logger, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', (error) =>
      logger.warn({ err: error }, 'the catalogue folder is no longer watched, only polled'),
    );
    return watcher;
  } catch (error) {
    logger.warn({ err: error }, 'the catalogue folder cannot be watched, only polled');
    return undefined;
  }
}

function fingerprint(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
}
