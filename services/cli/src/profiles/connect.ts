import { ConsoleClient } from '../api/client.ts';
import type { GlobalOptions } from '../commands/global-options.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Profile, readProfiles } from './file.ts';
import { readUpFile } from './up-file.ts';

/**
 * The console that a command calls: that of --profile, of TOLLGATE_URL and TOLLGATE_MANAGEMENT_KEY, of the running `make up`, or of
 * the profile in use, the first of these that there is.
 */
export function connect(io: Io, options: GlobalOptions): ConsoleClient {
  if (options.profile !== undefined) return toClient(profileNamed(io, options.profile));
  const { TOLLGATE_URL: url, TOLLGATE_MANAGEMENT_KEY: managementKey } = io.env;
  if (url && managementKey) return new ConsoleClient(url, { managementKey });
  if (url || managementKey) throw new CommandFailure('set both TOLLGATE_URL and TOLLGATE_MANAGEMENT_KEY, or none');
  const up = readUpFile(io);
  if (up !== undefined) return new ConsoleClient(up.console.url, { managementKey: up.console.management_key });
  const { current } = readProfiles(io.env);
  if (current === null) {
    throw new CommandFailure('there is no console to call: run "tollgate login --url https://…", or start "make up"');
  }
  return toClient(profileNamed(io, current));
}

export function profileNamed(io: Io, name: string): Profile {
  const { profiles } = readProfiles(io.env);
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) throw new CommandFailure(`there is no profile ${name}: "tollgate profiles" lists them`);
  return profile;
}

export function toClient({ url, management_key: managementKey, session_token: sessionToken }: Profile): ConsoleClient {
  if (managementKey !== undefined) return new ConsoleClient(url, { managementKey });
  return new ConsoleClient(url, sessionToken === undefined ? undefined : { sessionToken });
}
