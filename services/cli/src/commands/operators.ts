import { newLink } from '@tollgate/common/secret-links';
import type { Person } from '@tollgate/proto/auth';
import type { Command } from 'commander';
import { PERSON_COLUMNS, personFields, personJson } from '../output/person.ts';
import { formatTable } from '../output/table.ts';
import { consoleUrl } from '../services/addresses.ts';
import { callAuth } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { invite, type LinkOptions, printLink, withInvitation, withLinkOptions } from './invite.ts';

export function addOperatorCommands(program: Command, io: Io): void {
  const operators = program.command('operators').description('list, invite and remove operators of the console');
  operators
    .command('list')
    .description('list the operators')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const people = await listOperators(io, options);
      const text = formatTable(PERSON_COLUMNS, people.map(personFields), 'There are no operators yet.');
      print(io, options, { json: { operators: people.map(personJson) }, text });
    });
  withInvitation(operators.command('invite'))
    .description('print a link with which somebody becomes an operator')
    .argument('<email>', 'e-mail address')
    .action(async (email: string, _: unknown, command: Command) => {
      await invite(io, command.optsWithGlobals<LinkOptions>(), { accountId: '', email, role: 'operator' });
    });
  operators
    .command('remove')
    .description('make an operator an ordinary person; the last operator stays')
    .argument('<email>', 'e-mail address')
    .action(async (email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const person = findByEmail(await listOperators(io, options), email);
      if (person === undefined) throw new CommandFailure(`${email} is not an operator`);
      const { personId } = person;
      await callAuth({ io, options }, (client) => client.removeOperator.bind(client), { personId });
      print(io, options, { json: personJson({ ...person, isOperator: false }), text: `${person.email} is removed.\n` });
    });
  withLinkOptions(operators.command('reset-link'), 1, 7)
    .description('print a link with which a person who is locked out, operator or not, sets a new password')
    .argument('<email>', 'e-mail address')
    .action(async (email: string, _: unknown, command: Command) => {
      await createReset(io, command.optsWithGlobals<LinkOptions>(), email);
    });
}

async function listOperators(io: Io, options: GlobalOptions): Promise<Person[]> {
  const { operators } = await callAuth({ io, options }, (client) => client.listOperators.bind(client), {});
  return operators;
}

async function createReset(io: Io, options: LinkOptions, email: string): Promise<void> {
  const { url, secretSha256 } = newLink(consoleUrl(options.consoleUrl, io), 'reset');
  const expiresAtMs = BigInt(io.now() + options.expiresIn);
  const request = { email, secretSha256, expiresAtMs };
  const { person } = await callAuth({ io, options }, (client) => client.createPasswordReset.bind(client), request);
  printLink(io, options, { url, email: person?.email ?? email, expiresAtMs });
}

/** The person with an address, whatever its case. */
export function findByEmail(people: readonly Person[], email: string): Person | undefined {
  return people.find((person) => person.email === email.toLowerCase());
}
