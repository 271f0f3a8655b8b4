import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process whose wall clock can be shifted, as it was started with `shiftableClocks` in its environment. */
export interface ClockOwner {
  pid: number;
  /** At which it serves. */
  port: string;
}

/** The environment of processes whose wall clocks are to be shifted, each by what a file of the folder says. */
export function shiftableClocks(folder: string): { CLOCK_FOLDER: string; NODE_OPTIONS: string } {
  return { CLOCK_FOLDER: folder, NODE_OPTIONS: `--import=${new URL('shifted-clock.ts', import.meta.url).href}` };
}

/** Sets the wall clock of one process ahead of the machine's, or behind; never the machine's own. */
export function shiftClock(folder: string, { pid, port }: ClockOwner, byMs: number): void {
  writeFileSync(join(folder, port), String(byMs));
  process.kill(pid, 'SIGUSR2');
}
