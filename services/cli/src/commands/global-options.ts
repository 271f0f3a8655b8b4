import type { Command } from 'commander';
import type { CallerOptions } from '../services/clients.ts';

/** Options that every command takes, before or after its name. */
export interface GlobalOptions extends CallerOptions {
  json?: boolean;
}

export function addGlobalOptions(program: Command): Command {
  return program
    .option('--json', 'print JSON, for programs')
    .option('--operator <name>', 'who you are, for the audit log (env TOLLGATE_OPERATOR; default: your user name)')
    .option('--auth-address <address>', 'address of the auth service (env AUTH_ADDRESS)')
    .option('--ledger-address <address>', 'address of the ledger service (env LEDGER_ADDRESS)')
    .option('--router-address <address>', 'address of the router service (env ROUTER_ADDRESS)');
}
