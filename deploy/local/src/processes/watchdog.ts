import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('watchdog.sh', import.meta.url));

/** A small process in its own session that ends the children if this process is killed. */
export interface Watchdog {
  /** Sends the process this signal if this process dies. */
  add: (pid: number, signal: NodeJS.Signals) => void;
  /** Forgets a process that has ended, because its id may be reused. */
  remove: (pid: number) => void;
  /**
   * Ends all known processes as if this process had died, then itself; resolves when none is left. Processes added
   * later end at once.
   */
  fire: () => Promise<void>;
  /** Ends only the watchdog. */
  close: () => Promise<void>;
}

export function startWatchdog(): Watchdog {
  const child = spawn('/bin/sh', [SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  // Only if the watchdog itself was killed; nothing depends on it then.
  child.stdin.on('error', () => child.stdin.destroy());
  const report = (line: string) => {
    if (child.stdin.writable) child.stdin.write(`${line}\n`);
  };
  // It does not keep this process alive, unless its end is awaited.
  child.unref();
  let fired = false;
  return {
    add: (pid, signal) => {
      // It was starting when all were ended.
      if (fired) process.kill(pid, 'SIGKILL');
      else report(`add ${pid} ${signal.replace(/^SIG/, '')}`);
    },
    remove: (pid) => report(`remove ${pid}`),
    fire: async () => {
      fired = true;
      child.ref();
      child.stdin.end();
      await ended;
    },
    close: async () => {
      report('done');
      child.ref();
      child.stdin.end();
      await ended;
    },
  };
}
