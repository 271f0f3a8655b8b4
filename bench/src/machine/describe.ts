import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

/** What a reader needs to know of the machine. Nothing here names it. */
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

/** How many files and sockets a process may have open. */
export function openFilesLimit(): number {
  const match = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return match?.[1] === undefined || match[1] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(match[1]);
}
