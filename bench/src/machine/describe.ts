import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** Describes the machine without naming it. */
export interface Machine {
  cpu: string;
  cores: number;
  memory_gib: number;
  system: string;
  node: string;
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release().replace(/[^0-9.].*$/, '')}`,
    node: process.versions.node,
  };
}

/** Open files of a process besides the two connections of each stream. */
const OTHER_FILES = 200;

/** @throws Error if this machine does not allow a process the connections of so many open streams */
export function requireOpenFiles(streams: number, limit = openFilesLimit()): void {
  const needed = 2 * streams + OTHER_FILES;
  if (limit >= needed) return;
  throw new Error(
    `${streams} open streams need ${needed} open files in a process, and the limit is ${limit}: ulimit -n ${needed} raises it`,
  );
}

/** Limit of open files and sockets of a process. */
function openFilesLimit(): number {
  const match = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return match?.[1] === undefined || match[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(match[1]);
}
