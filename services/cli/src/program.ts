import { messageOf } from '@tollgate/common/errors';
import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './commands/accounts.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBalanceCommand } from './commands/balance.ts';
import { addCatalogueCommands } from './commands/catalogue.ts';
import { addClientsCommand } from './commands/clients.ts';
import { addDepositCommands } from './commands/deposits.ts';
import { addEventsCommand } from './commands/events.ts';
import { addGlobalOptions } from './commands/global-options.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addMemberCommands } from './commands/members.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addModelCommands } from './commands/models.ts';
import { addOperatorCommands } from './commands/operators.ts';
import { addProviderCommands } from './commands/providers.ts';
import { addQuarantineCommands } from './commands/quarantine.ts';
import { addReconcileCommand } from './commands/reconcile.ts';
import { addRequestCommands } from './commands/requests.ts';
import { UsageFailure } from './terminal/failure.ts';
import type { Io } from './terminal/io.ts';

const ADDRESS_HELP = `
The addresses of the services come from these options, else from the environment variables, else from the file that
"make up" writes: up.json in $TOLLGATE_DATA, or in .tollgate in the current folder or one above it.

Every command acts as the operator that --operator, else TOLLGATE_OPERATOR, else your user name says. Auth issues it a
token for this, so every command needs the address of auth.

Exit status: 0 success, 1 failure, 2 wrong usage.`;

/**
 * Runs one command.
 *
 * @param args without the program's name
 * @returns the exit status, as the help explains it
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed its own errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    io.stderr(`error: ${messageOf(error).split('\n').join(' ')}\n`);
    return error instanceof UsageFailure ? 2 : 1;
  }
}

function createProgram(io: Io): Command {
  const program = new Command('tollgate')
    .description('Operates a Tollgate gateway: accounts, keys, credit, models and requests.')
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr })
    .showHelpAfterError('(see --help)')
    .addHelpText('after', ADDRESS_HELP);
  addGlobalOptions(program);
  addAccountCommands(program, io);
  addKeyCommands(program, io);
  addDepositCommands(program, io);
  addBalanceCommand(program, io);
  addEventsCommand(program, io);
  addModelCommands(program, io);
  addProviderCommands(program, io);
  addCatalogueCommands(program, io);
  addClientsCommand(program, io);
  addRequestCommands(program, io);
  addQuarantineCommands(program, io);
  addReconcileCommand(program, io);
  addMemberCommands(program, io);
  addOperatorCommands(program, io);
  addAuditCommand(program, io);
  addMigrateCommand(program, io);
  return program;
}
