import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandOf, isRunning, startOf, statusFromPs } from './processes.ts';

it('distinguishes running processes from those that ended', async () => {
  // The second `sleep` takes over from the shell and does not ask how the first has ended.
  const parent = spawn('sh', ['-c', 'sleep 300 & echo $!; exec sleep 300'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed]: Buffer[] = await once(parent.stdout, 'data');
  const pid = Number(printed);
  expect([isRunning(pid), isRunning(process.pid), isRunning(999_999_999)]).toEqual([true, true, false]);
  // The shell itself would take note of the end.
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
  // A zombie, until its parent reads its status.
  expect(process.kill(pid, 0)).toBe(true);
  parent.kill('SIGKILL');
});

it('returns when a process started', () => {
  expect(startOf(process.pid)).toMatch(/^\d+$/);
  expect(startOf(999_999_999)).toBe('');
});

it('returns the command line of a process', () => {
  expect(commandOf(process.pid)).toContain(process.argv[1]);
  expect(commandOf(999_999_999)).toBe('');
});

it('reads state and start from the output of ps, on systems without /proc', () => {
  expect(statusFromPs('Ss+  Mon Nov 23 09:01:02 2026')).toEqual({ state: 'Ss+', start: 'Mon Nov 23 09:01:02 2026' });
  expect(statusFromPs('')).toBeUndefined();
});
