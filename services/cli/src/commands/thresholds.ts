import type { Command } from 'commander';
import { connect } from '../profiles/connect.ts';
import { UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface ThresholdOptions extends GlobalOptions {
  none?: boolean;
  default?: boolean;
}

export function addThresholdsCommand(balance: Command, io: Io): void {
  balance
    .command('thresholds')
    .description('Show or set the balances at which an account gets an event')
    .argument('<account>', 'id of the account')
    .argument('[dollars...]', 'new thresholds; without them and options, they are shown')
    .option('--none', 'no events for this account')
    .option('--default', 'those of the ledger again')
    .action(async (accountId: string, dollars: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<ThresholdOptions>();
      const given = [dollars.length > 0, options.none === true, options.default === true].filter(Boolean).length;
      if (given > 1) throw new UsageFailure('give thresholds, --none or --default, and no two of them');
      const client = connect(io, options);
      const path = { account_id: accountId };
      const body = { thresholds: options.default === true ? null : dollars };
      const response =
        given === 0
          ? await client.call('GET /accounts/{account_id}/alerts', { path })
          : await client.call('PUT /accounts/{account_id}/alerts', { path, body });
      const { thresholds, own } = response;
      const amounts = thresholds.length === 0 ? 'There are none' : thresholds.map((each) => `${each} USD`).join(', ');
      const text = `${amounts} (${own ? "the account's own" : "the ledger's default"}).\n`;
      print(io, options, { json: response, text });
    });
}
