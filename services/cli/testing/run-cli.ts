import { run } from '../src/program.ts';

/** How a command ended, and what it wrote. */
export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
}

/** Where a command runs. */
export interface CliPlace {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** What is typed where a secret is asked for. */
  secret?: string;
  /** Unix milliseconds. */
  now?: () => number;
  /** Called instead of a wait. */
  onDelay?: (ms: number) => Promise<void>;
  onError?: (text: string) => void;
}

/** Runs the command line program in this process, from the root folder and with an empty environment unless said otherwise. */
export async function runCli(args: readonly string[], place: CliPlace = {}): Promise<CliResult> {
  const out = { stdout: '', stderr: '' };
  const status = await run([...args], {
    stdout: (text) => {
      out.stdout += text;
    },
    writeOut: async (part) => {
      out.stdout += Buffer.from(part).toString();
    },
    stderr: (text) => {
      out.stderr += text;
      place.onError?.(text);
    },
    readSecret: async () => place.secret ?? '',
    env: { HOME: '/nowhere', ...place.env },
    cwd: place.cwd ?? '/',
    now: place.now ?? Date.now,
    delay: place.onDelay ?? (async () => undefined),
  });
  return { status, ...out };
}
