import { messageOf } from '@tollgate/common/errors';
import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './commands/accounts.ts';
import { addBalanceCommand } from './commands/balance.ts';
import { addDepositCommands } from './commands/deposits.ts';
import { addEventsCommand } from './commands/events.ts';
import { addGlobalOptions } from './commands/global-options.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addModelsCommand } from './commands/models.ts';
import { addQuarantineCommands } from './commands/quarantine.ts';
import { addReconcileCommand } from './commands/reconcile.ts';
import { addRequestCommands } from './commands/requests.ts';
import { UsageFailure } from './failure.ts';
import type { Io } from './io.ts';

const ADDRESS_HELP = `
Where the services are is taken from the options, else from the variables named there, else from what "make up" wrote:
up.json in the folder TOLLGATE_DATA, or in the first .tollgate folder upward from here.

Exit status: 0 done, 1 failed, 2 called wrongly.`;

/**
 * Runs one command.
 *
 * @param args without the program's name
 * @returns the exit status: 0 done, 1 failed, 2 called wrongly
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    await createProgram(io).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed its own already.
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
    .showHelpAfterError('(add --help for how to call it)')
    .addHelpText('after', ADDRESS_HELP);
  addGlobalOptions(program);
  addAccountCommands(program, io);
  addKeyCommands(program, io);
  addDepositCommands(program, io);
  addBalanceCommand(program, io);
  addEventsCommand(program, io);
  addModelsCommand(program, io);
  addRequestCommands(program, io);
  addQuarantineCommands(program, io);
  addReconcileCommand(program, io);
  addMigrateCommand(program, io);
  return program;
}
