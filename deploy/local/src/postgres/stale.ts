import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, isRunning } from '@tollgate/common/processes';
import { waitUntil } from '../processes/wait.ts';

const STOP_TIMEOUT_MS = 20_000;

/**
 * Cleans up after a Postgres that was not stopped properly: stops it if it still runs without its parent, and removes a
 * lock file whose process id now belongs to another program, which Postgres would mistake for its own.
 */
export async function clearStalePostgres(folder: string): Promise<void> {
  const lockFile = join(folder, 'postmaster.pid');
  const pid = readPid(lockFile);
  if (pid === undefined) return;
  if (!isPostgresOf(pid, folder)) {
    rmSync(lockFile, { force: true });
    return;
  }
  process.kill(pid, 'SIGINT');
  await waitUntil(() => !isPostgresOf(pid, folder), {
    what: `waiting for a Postgres left over from an earlier run (process ${pid}) to stop`,
    timeoutMs: STOP_TIMEOUT_MS,
  });
}

function readPid(lockFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(lockFile, 'utf8'), 10);
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** A living server was started with its data folder: `postgres -D folder -c …`. */
function isPostgresOf(pid: number, folder: string): boolean {
  return isRunning(pid) && commandOf(pid).includes(`postgres -D ${folder} -c `);
}
