import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const INSTALL_TIMEOUT_MS = 300_000;
const run = promisify(execFile);

/**
 * The path of Chromium: CHROMIUM, else one on the PATH, else Debian's, installed now if that is permitted.
 *
 * @throws Error with what to install
 */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const found = env['CHROMIUM'] ?? onPath(env);
  if (found !== undefined) return found;
  const reason = await install();
  const installed = onPath(env);
  if (installed !== undefined) return installed;
  throw new Error(
    `The console's tests need Chromium${reason}. Install it (Debian and Ubuntu: apt-get install chromium), or set CHROMIUM to its path.`,
  );
}

function onPath(env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs Debian's package. @returns why it could not, for the message of an error; empty when it did */
async function install(): Promise<string> {
  if (process.getuid?.() !== 0) return '';
  process.stdout.write('Tests: no Chromium found; installing chromium with apt-get\n');
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: INSTALL_TIMEOUT_MS };
  try {
    await run('apt-get', ['update', '-q'], options);
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], options);
    return '';
  } catch (error) {
    return `, which apt-get could not install: ${error instanceof Error ? error.message : String(error)}`;
  }
}
