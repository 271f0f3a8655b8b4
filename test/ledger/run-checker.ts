import { spawn } from 'node:child_process';

/** Exit code of a checker that found a promise broken. */
export const BROKEN = 3;

export interface CheckerRun {
  exitCode: number | null;
  output: string;
}

/** Runs a checker as a process of its own, as it takes over the process's time. */
export function runChecker(
  program: string,
  settings: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<CheckerRun> {
  return new Promise((resolve, reject) => {
    // Killed ingresses leave their files open, of which Node.js warns.
    const child = spawn(process.execPath, ['--no-warnings', program], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const take = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}
