import type { Command } from 'commander';
import { renderText } from '../output/render.ts';
import { connect } from '../profiles/connect.ts';
import { UsageFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

interface PricesOptions extends GlobalOptions {
  none?: boolean;
}

export function addPricesCommand(accounts: Command, io: Io): void {
  accounts
    .command('prices')
    .description('Show or set the prices of an account of its own; the first rule for a model applies')
    .argument('<account>', 'id of the account')
    .argument(
      '[rules...]',
      'all rules, such as "claude-*=20" for 20 % more than the list price, and "*=-10" for 10 % less',
    )
    .option('--none', 'list prices again')
    .action(async (accountId: string, texts: string[], _: unknown, command: Command) => {
      const options = command.optsWithGlobals<PricesOptions>();
      if (texts.length > 0 && options.none === true) throw new UsageFailure('give rules or --none, and not both');
      const rules = texts.map(ruleOf);
      const client = connect(io, options);
      const path = { account_id: accountId };
      const { price_rules: shown = [] } =
        rules.length === 0 && options.none !== true
          ? await client.call('GET /accounts/{account_id}', { path })
          : await client.call('PATCH /accounts/{account_id}', { path, body: { price_rules: rules } });
      const text = shown.length === 0 ? 'It pays list prices.\n' : renderText({ data: shown });
      print(io, options, { json: { price_rules: shown }, text });
    });
}

/** A model's id may have an equals sign; the markup has none. */
function ruleOf(text: string): { model: string; markup_percent: string } {
  const [, model, sign, percent] = /^(.+)=([+-]?)(\d{1,4}(?:\.\d{1,4})?)%?$/.exec(text) ?? [];
  if (model === undefined || percent === undefined)
    throw new UsageFailure(`${text}: must be a model and a percentage, such as "claude-*=20" or "*=-10"`);
  return { model, markup_percent: sign === '-' ? `-${percent}` : percent };
}
