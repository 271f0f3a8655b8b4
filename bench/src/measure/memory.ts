import { residentBytesOf } from '../machine/processes.ts';
import type { Metered } from './routes.ts';

/** Resident memory by process, in bytes. */
export type MemoryByName = Record<string, number>;

/** The memory of the counted processes. */
export function memoryOf(processes: readonly Metered[]): MemoryByName {
  return Object.fromEntries(
    processes.filter(({ counts }) => counts).map(({ name, pid }) => [name, residentBytesOf(pid)]),
  );
}
