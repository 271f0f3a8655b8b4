import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, type Facts, waitUntil } from '@tollgate/local';

const READY_TIMEOUT_MS = 100_000;

/** `make up` as a process. */
export interface Up {
  process: ChildProcess;
  pid: number;
  /** All of its output. */
  printed: () => string;
  /** The facts that it writes when ready; rejects with its output if it ends first. */
  ready: () => Promise<Facts>;
  /** The exit status; null after a signal. */
  ended: Promise<number | null>;
}

/** Variables of `make up` that the environment may contain. */
const INHERITED = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];

/** Starts it with its own data folder and settings, independent of the environment. */
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
