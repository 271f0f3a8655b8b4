import { renderBalance } from '@tollgate/common/billing/balance';
import { formatDollars } from '@tollgate/common/money';
import type { Balance } from '@tollgate/proto/ledger';
import type { Command } from 'commander';
import { formatFields } from '../output/table.ts';
import { callLedger } from '../services/clients.ts';
import { uuid } from '../terminal/arguments.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { addThresholdsCommand } from './thresholds.ts';

export function addBalanceCommand(program: Command, io: Io): void {
  const command = program
    .command('balance')
    .description('show the balance of an account, what open requests hold, and what is available')
    .argument('<account>', 'id of the account', uuid)
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const balance = await callLedger({ io, options }, (client) => client.getBalance.bind(client), { accountId });
      print(io, options, { json: balanceJson(balance), text: formatFields(balanceFields(balance)) });
    });
  addThresholdsCommand(command, io);
}

/** A balance as text, in exact US dollars. */
export function balanceFields(balance: Balance): [string, string][] {
  const fields: [string, string][] = [
    ['balance', `${formatDollars(balance.balanceNanos)} USD`],
    ['held', `${formatDollars(balance.heldNanos)} USD`],
    ['available', `${formatDollars(balance.availableNanos)} USD`],
  ];
  if (!balance.suspended) return fields;
  return [
    ...fields,
    ['owed', `${formatDollars(balance.receivableNanos)} USD`],
    ['suspended', 'until the owed amount is paid'],
  ];
}

/** A balance as JSON, as in the billing API. */
export function balanceJson(balance: Balance) {
  return { account_id: balance.accountId, ...renderBalance(balance) };
}
