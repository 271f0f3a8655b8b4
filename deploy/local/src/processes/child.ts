import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Watchdog } from './watchdog.ts';

/** Lines of output kept for each child, for the report if it dies. */
const LAST_LINES = 30;
/** Longer lines are truncated, so that output without line ends cannot fill the memory. */
const MAX_LINE_LENGTH = 16_384;

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The user to run as, if not the current one. */
  user?: { uid: number; gid: number } | undefined;
  /** The signal that stops it; SIGTERM by default. */
  stopSignal?: NodeJS.Signals;
  /** Called with every line of the child's stdout and stderr. */
  onLine: (line: string) => void;
  watchdog: Watchdog;
}

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process in its own session, so that Ctrl-C in the terminal reaches only this process. */
export interface Child {
  name: string;
  pid: number;
  /** Resolves when it has ended and all its output has been read; never rejects. */
  ended: Promise<ChildExit>;
  hasEnded: () => boolean;
  lastLines: () => string[];
  /** Stops it, and kills it if it has not ended in time. */
  stop: (graceMs: number) => Promise<void>;
  kill: (signal: NodeJS.Signals) => void;
}

/** @throws Error if the program cannot be started */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = spawn(options.command, options.args, {
    env: options.env,
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...options.user,
  });
  const last: string[] = [];
  const onLine = (line: string) => {
    last.push(line);
    if (last.length > LAST_LINES) last.shift();
    options.onLine(line);
  };
  readLines(child.stdout, onLine);
  readLines(child.stderr, onLine);

  let exited = false;
  const ended = new Promise<ChildExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  child.once('exit', () => {
    exited = true;
    if (child.pid !== undefined) options.watchdog.remove(child.pid);
  });
  const pid = await started(child, options);
  options.watchdog.add(pid, options.stopSignal ?? 'SIGTERM');

  const kill = (signal: NodeJS.Signals) => {
    if (!exited) child.kill(signal);
  };
  return {
    name: options.name,
    pid,
    ended,
    hasEnded: () => exited,
    lastLines: () => [...last],
    kill,
    stop: async (graceMs) => {
      kill(options.stopSignal ?? 'SIGTERM');
      const timer = setTimeout(() => kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function started(child: ChildProcess, options: ChildOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${options.name} could not be started: ${error.message}`)));
    child.once('spawn', () => {
      if (child.pid !== undefined) resolve(child.pid);
    });
  });
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    for (const line of lines) onLine(line.slice(0, MAX_LINE_LENGTH));
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
