import { spawn } from 'node:child_process';

/** Exit code of a checker that found a violation. */
export const BROKEN = 3;

export interface CheckerRun {
  exitCode: number | null;
  output: string;
}

/** Runs a checker as a separate process, since it replaces the process's time. */
export function runChecker(
  program: string,
  settings: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<CheckerRun> {
  return new Promise((resolve, reject) => {
    // Node.js would warn of the files that killed ingresses leave open.
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
