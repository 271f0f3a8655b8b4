import type { Command } from 'commander';
import type { AddressOptions } from '../services/clients.ts';

/** Options that every command takes, before or after its name. */
export interface GlobalOptions extends AddressOptions {
  json?: boolean;
}

export function addGlobalOptions(program: Command): Command {
  return program
    .option('--json', 'print JSON, for programs')
    .option('--auth-address <address>', 'where the auth service listens (env AUTH_ADDRESS)')
    .option('--ledger-address <address>', 'where the ledger service listens (env LEDGER_ADDRESS)')
    .option('--router-address <address>', 'where the router service listens (env ROUTER_ADDRESS)');
}
