import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isRunning } from '@tollgate/common/processes';
import { expect, it } from 'vitest';
import { startChild } from './child.ts';
import { waitUntil } from './wait.ts';
import { startWatchdog } from './watchdog.ts';

const TELLER = `
import { startChild } from '${new URL('child.ts', import.meta.url).href}';
import { startWatchdog } from '${new URL('watchdog.ts', import.meta.url).href}';
const watchdog = startWatchdog();
const options = { name: 'x', env: process.env, cwd: '/', onLine: () => {}, watchdog };
const children = [
  await startChild({ ...options, command: 'sleep', args: ['300'] }),
  // Ignores SIGTERM.
  await startChild({ ...options, command: 'sh', args: ['-c', "trap '' TERM; while :; do sleep 1; done"], stopSignal: 'SIGKILL' }),
];
console.log(children.map((child) => child.pid).join(' '));
`;

it('ends the children of a process that was killed', async () => {
  const teller = spawn(process.execPath, ['--input-type=module', '-e', TELLER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed]: Buffer[] = await once(teller.stdout, 'data');
  const pids = String(printed).trim().split(' ').map(Number);
  expect(pids.map(isRunning)).toEqual([true, true]);
  teller.kill('SIGKILL');
  await waitUntil(() => !pids.some(isRunning), { what: 'the children to end', timeoutMs: 40_000 });
});

it('leaves forgotten processes alone, and ends the others when fired', async () => {
  const watchdog = startWatchdog();
  const options = { env: process.env, cwd: '/', onLine: () => undefined, watchdog };
  const sleeper = () => startChild({ ...options, name: 'sleeper', command: 'sleep', args: ['300'] });
  const [kept, ended] = await Promise.all([sleeper(), sleeper()]);
  watchdog.remove(kept.pid);
  await watchdog.fire();
  expect((await ended.ended).signal).toBe('SIGTERM');
  expect(kept.hasEnded()).toBe(false);
  await kept.stop(1_000);
});

it('reports every line of a child, also those that end with it', async () => {
  const watchdog = startWatchdog();
  const lines: string[] = [];
  const child = await startChild({
    name: 'printer',
    command: 'sh',
    args: ['-c', 'printf "one\\ntwo\\nthree"'],
    env: process.env,
    cwd: '/',
    onLine: (line) => lines.push(line),
    watchdog,
  });
  expect(await child.ended).toEqual({ code: 0, signal: null });
  expect(lines).toEqual(['one', 'two', 'three']);
  expect(child.lastLines()).toEqual(lines);
  await watchdog.close();
});
