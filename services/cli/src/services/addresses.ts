import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '@tollgate/common/errors';
import { z } from 'zod';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

export type ServiceName = 'auth' | 'ledger' | 'router';

/** What `make up` writes about the services it runs. Other fields are ignored. */
const upFile = z.object({
  grpc: z.object({ auth: z.string(), ledger: z.string(), router: z.string() }),
  database_url: z.string(),
  base_url: z.string().optional(),
  console: z.object({ url: z.string() }).optional(),
});
type UpFile = z.output<typeof upFile>;

const ADDRESS_VARIABLES = { auth: 'AUTH_ADDRESS', ledger: 'LEDGER_ADDRESS', router: 'ROUTER_ADDRESS' } as const;

/** How many folders above the working directory are searched at most. */
const MAX_FOLDERS = 64;

/**
 * The address of a service: from its option, else its environment variable, else what `make up` wrote.
 *
 * @throws CommandFailure when none of them has it
 */
export function addressOf(service: ServiceName, option: string | undefined, io: Io): string {
  const variable = ADDRESS_VARIABLES[service];
  const address = option ?? (io.env[variable] || readUpFile(io)?.grpc[service]);
  if (address !== undefined) return address;
  throw new CommandFailure(
    `the address of the ${service} service is unknown: give --${service}-address or ${variable}, or start "make up"`,
  );
}

/** The database's URL: from DATABASE_URL, else what `make up` wrote. */
export function databaseUrl(io: Io): string {
  const url = io.env['DATABASE_URL'] || readUpFile(io)?.database_url;
  if (url !== undefined) return url;
  throw new CommandFailure('the database is unknown: set DATABASE_URL, or start "make up"');
}

/** The console's address, for links: from an option, else CONSOLE_URL, else what `make up` wrote. */
export function consoleUrl(option: string | undefined, io: Io): string {
  const url = option ?? (io.env['CONSOLE_URL'] || readUpFile(io)?.console?.url);
  if (url === undefined) {
    throw new CommandFailure(
      'the address of the console is unknown: give --console-url or CONSOLE_URL, or start "make up"',
    );
  }
  if (!URL.canParse(url)) throw new CommandFailure('the address of the console must be a URL');
  return url.replace(/\/+$/, '');
}

/** The gateway's base URL: from an option, else TOLLGATE_BASE_URL, else what `make up` wrote. */
export function gatewayUrl(option: string | undefined, io: Io): string {
  const url = option ?? (io.env['TOLLGATE_BASE_URL'] || readUpFile(io)?.base_url);
  if (url === undefined) {
    throw new CommandFailure(
      'the address of the gateway is unknown: give --base-url or TOLLGATE_BASE_URL, or start "make up"',
    );
  }
  if (!URL.canParse(url)) throw new CommandFailure('the address of the gateway must be a URL');
  return url;
}

/** Reads `up.json` from TOLLGATE_DATA, else from the nearest `.tollgate` folder at or above the working directory. */
function readUpFile(io: Io): UpFile | undefined {
  for (const file of candidates(io)) {
    const text = readIfExists(file);
    if (text !== undefined) return parseUpFile(file, text);
  }
  return undefined;
}

function candidates(io: Io): string[] {
  const data = io.env['TOLLGATE_DATA'];
  if (data) return [join(data, 'up.json')];
  const files: string[] = [];
  let folder = io.cwd;
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
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
  }
}

function parseUpFile(file: string, text: string): UpFile {
  try {
    return upFile.parse(JSON.parse(text));
  } catch {
    throw new CommandFailure(
      `${file} was not written by this version of "make up"; remove it and start "make up" again`,
    );
  }
}
