import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '@tollgate/common/errors';
import { z } from 'zod';
import { CommandFailure, codeOf } from '../terminal/failure.ts';

const profileSchema = z.strictObject({
  url: z.string(),
  management_key: z.string().optional(),
  session_token: z.string().optional(),
});
/** An installation, and a credential of it. */
export type Profile = z.output<typeof profileSchema>;

const fileSchema = z.strictObject({
  /** The profile that is used. */
  current: z.string().nullable(),
  profiles: z.record(z.string(), profileSchema),
});
export type Profiles = z.output<typeof fileSchema>;

/** The file of the profiles: TOLLGATE_CONFIG, else in the folder for configuration that XDG names. */
export function profilesFile(env: NodeJS.ProcessEnv): string {
  if (env['TOLLGATE_CONFIG']) return env['TOLLGATE_CONFIG'];
  const folder = env['XDG_CONFIG_HOME'] || join(env['HOME'] ?? '.', '.config');
  return join(folder, 'tollgate', 'profiles.json');
}

/**
 * Reads the profiles; none without the file.
 *
 * @throws CommandFailure for a file that others can read
 */
export function readProfiles(env: NodeJS.ProcessEnv): Profiles {
  const file = profilesFile(env);
  try {
    const mode = statSync(file).mode & 0o777;
    if ((mode & 0o077) !== 0) {
      const shown = mode.toString(8).padStart(4, '0');
      throw new CommandFailure(`${file} has mode ${shown}, so that others can use its keys: chmod 600 ${file}`);
    }
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { current: null, profiles: {} };
    if (error instanceof CommandFailure) throw error;
    if (codeOf(error) !== undefined) throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
    throw new CommandFailure(`${file} was not written by "tollgate login"; remove it and sign in again`);
  }
}

/** Writes the profiles atomically, for the user alone. */
export function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): void {
  const file = profilesFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.new`;
  try {
    writeFileSync(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // The umask applies to the mode of a new file.
    chmodSync(temporary, 0o600);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
