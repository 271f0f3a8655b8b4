import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isRunning, startOf } from './processes.ts';

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
