import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process with a shiftable clock, started with `shiftableClocks` in its environment. */
export interface ClockOwner {
  pid: number;
  /** Its port. */
  port: string;
}

/** The environment of processes with shiftable wall clocks, which read their shift from a file in the folder. */
export function shiftableClocks(folder: string): { CLOCK_FOLDER: string; NODE_OPTIONS: string } {
  return { CLOCK_FOLDER: folder, NODE_OPTIONS: `--import=${new URL('shifted-clock.ts', import.meta.url).href}` };
}

/** Shifts the wall clock of one process, not of the machine. */
export function shiftClock(folder: string, { pid, port }: ClockOwner, byMs: number): void {
  setClock(folder, port, byMs);
  process.kill(pid, 'SIGUSR2');
}

/** Shifts the wall clock with which the process of a port starts. */
export function setClock(folder: string, port: string, byMs: number): void {
  writeFileSync(join(folder, port), String(byMs));
}
