import { messageOf } from '@tollgate/common/errors';
import { Command, CommanderError } from 'commander';
import { addCatalogueCommands } from './commands/catalogue.ts';
import { addClientsCommand } from './commands/clients.ts';
import { addGlobalOptions } from './commands/global-options.ts';
import { addImportBillCommand } from './commands/import-bill.ts';
import { addLoginCommands } from './commands/login.ts';
import { addOperationCommand } from './commands/operation-command.ts';
import { OPERATION_COMMANDS } from './commands/operations.ts';
import { addPricesCommand } from './commands/prices.ts';
import { addThresholdsCommand } from './commands/thresholds.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { UsageFailure } from './terminal/failure.ts';
import type { Io } from './terminal/io.ts';

const HELP = `
Commands call the console of --profile, else of TOLLGATE_URL with TOLLGATE_MANAGEMENT_KEY, else of the "make up" that runs for this
folder or one above it, else of the profile in use.

Exit status: 0 success, 1 failure, 2 wrong usage.`;

const GROUPS = {
  accounts: 'Create, show, change and suspend accounts',
  keys: 'Create, show, change, rotate and delete API keys',
  'limit-requests': 'Ask for higher limits, grant and decline them',
  projects: 'Create, show, change and delete projects, and limit members in them',
  limits: 'Show what is spent of caps at every level',
  'service-accounts': 'Create, show, change and delete the service accounts of a project',
  deposits: 'Credit accounts, list their deposits and write receipts',
  statements: 'List and write the monthly statements of an account',
  vouchers: 'Create, list and revoke voucher codes, and redeem them',
  payments: 'Show and change what an account may pay in by card',
  'top-up': 'Show, set, resume and switch off the automatic top-up of an account',
  balance: 'Show the balance of an account, and when it gets events',
  events: 'Show the events of an account',
  models: 'List the models of the catalogue, and their health',
  providers: 'List and test the providers of the catalogue, and compare their bills',
  usage: 'See usage, write charges for tools of finance',
  requests: 'List requests, and show the bill of one',
  members: 'List, invite, change and remove the members of an account',
  operators: 'List, invite and remove operators',
  quarantine: 'Charges that the ledger could not post',
  audit: 'Show who changed what, newest first',
} as const;

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
    .addHelpText('after', HELP);
  addGlobalOptions(program);
  addLoginCommands(program, io);
  for (const [name, description] of Object.entries(GROUPS)) {
    const group = program.command(name).description(description);
    for (const each of OPERATION_COMMANDS) if (each.name.startsWith(`${name} `)) addOperationCommand(group, io, each);
    if (name === 'balance') addThresholdsCommand(group, io);
    if (name === 'accounts') addPricesCommand(group, io);
    if (name === 'providers') addImportBillCommand(group, io);
  }
  addCatalogueCommands(program, io);
  addClientsCommand(program, io);
  addVerifyCommand(program, io);
  return program;
}
