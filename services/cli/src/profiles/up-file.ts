import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '@tollgate/common/errors';
import { z } from 'zod';
import { CommandFailure, codeOf } from '../terminal/failure.ts';

/** What `make up` writes about the console it runs. Other fields are ignored. */
const upFile = z.object({ console: z.object({ url: z.string(), management_key: z.string() }) });
export type UpFile = z.output<typeof upFile>;

/** How many folders above the working directory are searched at most. */
const MAX_FOLDERS = 64;

/** Reads `up.json` from TOLLGATE_DATA, else from the nearest `.tollgate` folder at or above the working directory. */
export function readUpFile(place: { env: NodeJS.ProcessEnv; cwd: string }): UpFile | undefined {
  for (const file of candidates(place)) {
    const text = readIfExists(file);
    if (text !== undefined) return parse(file, text);
  }
  return undefined;
}

function candidates({ env, cwd }: { env: NodeJS.ProcessEnv; cwd: string }): string[] {
  const data = env['TOLLGATE_DATA'];
  if (data) return [join(data, 'up.json')];
  const files: string[] = [];
  let folder = cwd;
  for (let level = 0; level < MAX_FOLDERS; level += 1) {
    files.push(join(folder, '.tollgate', 'up.json'));
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return files;
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return undefined;
    throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function parse(file: string, text: string): UpFile {
  try {
    return upFile.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure(
      `${file} was not written by this version of "make up"; remove it and start "make up" again`,
    );
  }
}
