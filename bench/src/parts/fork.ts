import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const START_TIMEOUT_MS = 15_000;

/** A process of the benchmark. It ends when the benchmark does. */
export interface Part {
  pid: number;
  child: ChildProcess;
  stop: () => Promise<void>;
}

/** A part that listens on loopback. */
export interface ListeningPart extends Part {
  origin: string;
}

/**
 * Starts a file as a process.
 *
 * @param file name next to main.ts
 * @param env settings in addition to this process's own
 */
export function startPart(file: string, env: Record<string, string> = {}): Part {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = fork(path, [], {
    env: { ...process.env, ...env },
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  if (child.pid === undefined) throw new Error(`${file} could not be started`);
  const ended = once(child, 'exit');
  return {
    pid: child.pid,
    child,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Starts a file that listens and reports its port. @throws Error if it does not report in time */
export async function startListeningPart(file: string, env: Record<string, string> = {}): Promise<ListeningPart> {
  const part = startPart(file, env);
  const message = await nextMessage(part, file, START_TIMEOUT_MS);
  if (!isObject(message) || typeof message['port'] !== 'number') throw new Error(`${file} reported no port`);
  return { ...part, origin: `http://127.0.0.1:${message['port']}` };
}

/** The next message of a part. @throws Error if it ends first or sends none in time */
export function nextMessage(part: Part, name: string, timeoutMs: number): Promise<unknown> {
  const { child } = part;
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      settle();
    };
    const onMessage = (message: unknown) => finish(() => resolve(message));
    const onExit = () => finish(() => reject(new Error(`${name} ended unexpectedly`)));
    const timer = setTimeout(() => finish(() => reject(new Error(`${name} did not respond in time`))), timeoutMs);
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
