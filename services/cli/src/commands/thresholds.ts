import { formatDollars } from '@tollgate/common/money';
import type { Thresholds } from '@tollgate/proto/ledger';
import type { Command } from 'commander';
import { callLedger } from '../services/clients.ts';
import { thresholds, uuid } from '../terminal/arguments.ts';
import { UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ThresholdsOptions extends GlobalOptions {
  none?: boolean;
  default?: boolean;
}

/** Adds `balance thresholds`. */
export function addThresholdsCommand(balance: Command, io: Io): void {
  balance
    .command('thresholds')
    .description('show or set the balances of an account at which an event is sent')
    .argument('<account>', 'id of the account', uuid)
    .argument('[dollars...]', 'thresholds to set, at most 10; default: show them', thresholds)
    .option('--none', 'remove all thresholds: no events')
    .option('--default', 'use the default thresholds of the ledger (LOW_BALANCE_THRESHOLDS)')
    .action(async (accountId: string, given: bigint[] | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ThresholdsOptions>();
      const amounts = given ?? [];
      const modes = [amounts.length > 0, options.none === true, options.default === true].filter(Boolean).length;
      if (modes > 1) throw new UsageFailure('give only one of thresholds, --none and --default');
      const caller = { io, options };
      const current =
        modes === 0
          ? await callLedger(caller, (client) => client.getThresholds.bind(client), { accountId })
          : await callLedger(caller, (client) => client.setThresholds.bind(client), {
              accountId,
              thresholdsNanos: amounts,
              useDefaults: options.default === true,
            });
      print(io, options, {
        json: {
          account_id: accountId,
          thresholds: current.thresholdsNanos.map(formatDollars),
          currency: 'USD',
          own: current.own,
        },
        text: `${describe(current)}\n`,
      });
    });
}

function describe({ thresholdsNanos, own }: Thresholds): string {
  const whose = own ? "the account's own" : "the ledger's default";
  if (thresholdsNanos.length === 0) return `There are none (${whose}).`;
  return `${thresholdsNanos.map((nanos) => `${formatDollars(nanos)} USD`).join(', ')} (${whose})`;
}
