import type { Command } from 'commander';

/** Options that every command takes, before or after its name. */
export interface GlobalOptions {
  json?: boolean;
  profile?: string;
}

export function addGlobalOptions(program: Command): Command {
  return program
    .option('--json', 'print the JSON of the API, for programs')
    .option('--profile <name>', 'the installation to use; see "tollgate profiles"');
}
