import type { Command } from 'commander';
import { ApiFailure, ConsoleClient } from '../api/client.ts';
import { signInByBrowser } from '../api/device-sign-in.ts';
import { profileNamed, toClient } from '../profiles/connect.ts';
import { type Profile, readProfiles, writeProfiles } from '../profiles/file.ts';
import { CommandFailure, UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

const DEFAULT_NAME = 'default';

interface LoginOptions extends GlobalOptions {
  url?: string;
  browser?: boolean;
}

/** Adds the commands that sign in and out, and choose an installation. */
export function addLoginCommands(program: Command, io: Io): void {
  program
    .command('login')
    .description(
      'Keep a credential of a console as a profile: a management key, from TOLLGATE_MANAGEMENT_KEY or the input, or a session of yours',
    )
    .option('--browser', 'sign in as yourself in a browser, on this machine or another')
    .option('--url <url>', 'address of the console, such as https://tollgate.example.com (env TOLLGATE_URL)')
    .action(async (_: unknown, command: Command) => {
      await login(io, command.optsWithGlobals<LoginOptions>());
    });
  program
    .command('logout')
    .description('Forget the credential of a profile')
    .action(async (_: unknown, command: Command) => {
      await logout(io, command.optsWithGlobals<GlobalOptions>());
    });
  const profiles = program.command('profiles').description('installations that you have signed in to');
  profiles
    .command('list', { isDefault: true })
    .description('List the profiles')
    .action((_: unknown, command: Command) => {
      const { current, profiles: all } = readProfiles(io.env);
      const data = Object.entries(all).map(([name, { url }]) => ({ name, url, current: name === current }));
      const lines = data.map((each) => `${each.current ? '*' : ' '} ${each.name}  ${each.url}\n`).join('');
      print(io, command.optsWithGlobals<GlobalOptions>(), { json: { data }, text: lines || 'There are none.\n' });
    });
  profiles
    .command('use')
    .description('Use a profile from now on')
    .argument('<name>', 'name of the profile')
    .action((name: string) => {
      const { url } = profileNamed(io, name);
      writeProfiles(io.env, { ...readProfiles(io.env), current: name });
      io.stdout(`Commands call ${url} now.\n`);
    });
}

async function login(io: Io, options: LoginOptions): Promise<void> {
  const { current, profiles } = readProfiles(io.env);
  const name = options.profile ?? DEFAULT_NAME;
  const url = options.url ?? (io.env['TOLLGATE_URL'] || profiles[name]?.url);
  if (url === undefined) throw new UsageFailure('the address of the console is unknown: give --url');
  const { url: address } = new ConsoleClient(url, undefined);
  const profile: Profile =
    options.browser === true
      ? { url: address, session_token: await signInByBrowser(io, address) }
      : { url: address, management_key: await readKey(io) };
  await requireAccepted(profile);
  writeProfiles(io.env, { current: name, profiles: { ...profiles, [name]: profile } });
  const note = current !== null && current !== name ? ` Commands call it from now on, not ${current}.` : '';
  io.stdout(`You are signed in to ${profile.url} as the profile ${name}.${note}\n`);
}

async function readKey(io: Io): Promise<string> {
  const key = io.env['TOLLGATE_MANAGEMENT_KEY'] || (await io.readSecret('Management key: ')).trim();
  if (!key.startsWith('mk-')) throw new CommandFailure('a management key begins with mk-');
  return key;
}

/** Whether the console knows the credential: it responds with 403 to one whose role may not do this. */
async function requireAccepted(profile: Profile): Promise<void> {
  try {
    await toClient(profile).call('GET /operator/models');
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return;
    throw error;
  }
}

async function logout(io: Io, options: GlobalOptions): Promise<void> {
  const { current, profiles } = readProfiles(io.env);
  const name = options.profile ?? current;
  if (name === null) throw new CommandFailure('you are not signed in to any console');
  const profile = profileNamed(io, name);
  if (profile.session_token !== undefined) await endSession(profile);
  const { [name]: _, ...others } = profiles;
  writeProfiles(io.env, { current: name === current ? null : current, profiles: others });
  const note = profile.management_key === undefined ? '' : ' Its management key stays valid until somebody deletes it.';
  io.stdout(`The profile ${name} is removed.${note}\n`);
}

/** Ends the session, unless it has ended already. */
async function endSession(profile: Profile): Promise<void> {
  try {
    await toClient(profile).call('DELETE /session');
  } catch (error) {
    if (!(error instanceof ApiFailure && error.status === 401)) throw error;
  }
}
