import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, type Facts, waitUntil } from '@tollgate/local';

const READY_TIMEOUT_MS = 60_000;

/** `make up` as a process, as a person starts it. */
export interface Up {
  process: ChildProcess;
  pid: number;
  /** All it has printed. */
  printed: () => string;
  /** The facts it has written once ready; rejects with what it printed when it ended before. */
  ready: () => Promise<Facts>;
  /** The status it ended with; null when a signal ended it. */
  ended: Promise<number | null>;
}

/** What `make up` finds in a person's environment or sets itself. */
const INHERITED = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];

/** Starts it with a data folder and settings of its own, beyond those of any environment. */
export function startUp(data: string, settings: Record<string, string>): Up {
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]));
  const child = spawn(process.execPath, ['deploy/local/src/main.ts'], {
    cwd: CHECKOUT,
    env: { ...inherited, TOLLGATE_DATA: data, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      hasEnded = true;
      resolve(code);
    });
  });
  const file = join(data, 'up.json');
  const ready = async () => {
    const ask = () => {
      if (hasEnded) throw new Error(`it ended before it was ready:\n${printed}`);
      return printed.includes('Tollgate is ready');
    };
    await waitUntil(ask, { what: 'waiting for make up to be ready', timeoutMs: READY_TIMEOUT_MS });
    const facts: Facts = JSON.parse(readFileSync(file, 'utf8'));
    return facts;
  };
  return { process: child, pid: child.pid ?? 0, printed: () => printed, ready, ended };
}
