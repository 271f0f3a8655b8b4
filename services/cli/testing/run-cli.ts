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
  /** Name of the system's user; null: it has none. */
  user?: string | null;
  /** Unix milliseconds. */
  now?: () => number;
}

/** Runs the command line program in this process, from the root folder and with an empty environment unless said otherwise. */
export async function runCli(
  args: readonly string[],
  { env = {}, cwd = '/', user = 'tester', now = Date.now }: CliPlace = {},
): Promise<CliResult> {
  const out = { stdout: '', stderr: '' };
  const status = await run([...args], {
    stdout: (text) => {
      out.stdout += text;
    },
    stderr: (text) => {
      out.stderr += text;
    },
    env,
    cwd,
    user: () => user ?? undefined,
    now,
  });
  return { status, ...out };
}
