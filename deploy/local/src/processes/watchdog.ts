import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('watchdog.sh', import.meta.url));

/** A small process of its own session that ends our children should this process be killed without a chance to. */
export interface Watchdog {
  /** From now the process is ended, by this signal, when we are gone. */
  add: (pid: number, signal: NodeJS.Signals) => void;
  /** The process has ended; its id may be taken by another. */
  remove: (pid: number) => void;
  /** Ends all processes it knows, as if we were gone, and itself; resolves when none is left. Later ones end at once. */
  fire: () => Promise<void>;
  /** Ends the watchdog and nothing else. */
  close: () => Promise<void>;
}

export function startWatchdog(): Watchdog {
  const child = spawn('/bin/sh', [SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  // Only when the watchdog itself was killed; nobody is left to notify, and nothing depends on it.
  child.stdin.on('error', () => child.stdin.destroy());
  const report = (line: string) => {
    if (child.stdin.writable) child.stdin.write(`${line}\n`);
  };
  // It does not keep us alive, unless we wait for its end.
  child.unref();
  let fired = false;
  return {
    add: (pid, signal) => {
      // It was being started when all were ended.
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
