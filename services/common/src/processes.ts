import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process runs; a zombie does not. By hand because Node reports neither zombies nor start times. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it: it runs as another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return !statusOf(pid)?.state.startsWith('Z');
}

/**
 * When a process started, in the unit of the system; empty if it does not run. Process ids are reused; the start time shows
 * whether it is still the same process.
 */
export function startOf(pid: number): string {
  return statusOf(pid)?.start ?? '';
}

/** The command line of a process, its arguments separated by spaces; empty if it does not run. */
export function commandOf(pid: number): string {
  if (process.platform !== 'linux') return ps(pid, ['args=']);
  return (readProc(pid, 'cmdline') ?? '').replaceAll('\0', ' ').trim();
}

interface ProcessStatus {
  state: string;
  start: string;
}

function statusOf(pid: number): ProcessStatus | undefined {
  if (process.platform !== 'linux') return statusFromPs(ps(pid, ['stat=', 'lstart=']));
  const stat = readProc(pid, 'stat');
  return stat === undefined ? undefined : statusFromProc(stat);
}

/** Reads the fields of proc_pid_stat(5) that follow the program's name, which is in brackets and may contain anything. */
function statusFromProc(stat: string): ProcessStatus {
  const [state = '', ...others] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state, start: others[18] ?? '' };
}

/** Reads the output of ps(1) for `stat` and `lstart`, such as `Ss   Mon Nov 23 09:01:02 2026`. */
export function statusFromPs(output: string): ProcessStatus | undefined {
  const [, state, start] = /^(\S+)\s+(\S.*)$/.exec(output) ?? [];
  return state === undefined || start === undefined ? undefined : { state, start };
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

/** Asks ps(1), which systems without /proc have, for columns without titles. */
function ps(pid: number, columns: readonly string[]): string {
  const args = ['-ww', ...columns.flatMap((column) => ['-o', column]), '-p', String(pid)];
  return spawnSync('ps', args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).stdout?.trim() ?? '';
}
