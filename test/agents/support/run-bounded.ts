import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Maximum output that is kept of a process, in characters, each of its two streams. */
const MAX_OUTPUT = 2_000_000;

export interface BoundedRun {
  /** Null if a signal ended it. */
  code: number | null;
  timedOut: boolean;
  stdout: string;
  stderr: string;
}

export interface BoundedCommand {
  command: string;
  args: readonly string[];
  /** Its standard input. */
  input?: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
}

/** Runs a command until it ends or its time is up, and then ends every process of its group. */
export async function runBounded({
  command,
  args,
  input = '',
  cwd,
  env,
  timeoutMs,
}: BoundedCommand): Promise<BoundedRun> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
  // A program may end without reading it.
  child.stdin.on('error', () => undefined).end(input);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (output[name].length < MAX_OUTPUT) output[name] += text;
    });
  }
  let timedOut = false;
  const endGroup = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has no process any more.
    }
  };
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup();
  }, timeoutMs);
  try {
    const [code] = await once(child, 'exit');
    endGroup();
    if (!child.stdout.closed) await once(child.stdout, 'close');
    return { code, timedOut, ...output };
  } finally {
    clearTimeout(timer);
    endGroup();
  }
}
