import { readFileSync } from 'node:fs';

/** Whether a process runs; a zombie does not. By hand because Node reports neither zombies nor start times. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it: it runs as another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return statOf(pid)?.[0] !== 'Z';
}

/**
 * When a process started, in the unit of the system; empty where the system does not report it. Process ids are reused; the
 * start time shows whether it is still the same process.
 */
export function startOf(pid: number): string {
  return statOf(pid)?.[19] ?? '';
}

/** The fields of proc_pid_stat(5) from the third, the state; undefined on a system without them. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
