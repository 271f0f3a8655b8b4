import type { RoleName } from '@tollgate/common/actors/roles';
import { roleOf } from '@tollgate/common/actors/roles';
import { newLink } from '@tollgate/common/secret-links';
import { type Command, Option } from 'commander';
import { formatTime } from '../output/table.ts';
import { consoleUrl } from '../services/addresses.ts';
import { callAuth } from '../services/clients.ts';
import { duration } from '../terminal/arguments.ts';
import type { Io } from '../terminal/io.ts';
import { jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

const DAY_MS = 86_400_000;

/** Options of commands that print a link of the console. */
export interface LinkOptions extends GlobalOptions {
  consoleUrl?: string;
  expiresIn: number;
}

export function withLinkOptions(command: Command, defaultDays: number, maxDays: number): Command {
  const expiresIn = new Option('--expires-in <duration>', `how long the link is valid; at most ${maxDays}d`);
  return command
    .option('--console-url <url>', 'address of the console (env CONSOLE_URL)')
    .addOption(expiresIn.argParser(duration).default(defaultDays * DAY_MS, `${defaultDays}d`));
}

/** Adds `invite`. */
export function withInvitation(command: Command): Command {
  return withLinkOptions(command, 7, 30);
}

/** Invites an address to an account, or, without one, to be an operator, and prints the link. */
export async function invite(
  io: Io,
  options: LinkOptions,
  { accountId, email, role }: { accountId: string; email: string; role: RoleName },
): Promise<void> {
  const { url, secretSha256 } = newLink(consoleUrl(options.consoleUrl, io), 'invitation');
  const expiresAtMs = BigInt(io.now() + options.expiresIn);
  const request = { accountId, email, role: roleOf(role), secretSha256, expiresAtMs };
  const { invitation } = await callAuth({ io, options }, (client) => client.createInvitation.bind(client), request);
  if (invitation === undefined) throw new Error('the auth service responded without an invitation');
  printLink(io, options, { url, email: invitation.email, expiresAtMs: invitation.expiresAtMs });
}

/** Prints a link and for whom it is. */
export function printLink(
  io: Io,
  options: GlobalOptions,
  { url, email, expiresAtMs }: { url: string; email: string; expiresAtMs: bigint },
): void {
  print(io, options, {
    json: { email, link: url, expires_at: jsonTime(expiresAtMs) },
    text: `${url}\n\nSend it to ${email}. It can be used once, until ${formatTime(expiresAtMs)}.\n`,
  });
}
