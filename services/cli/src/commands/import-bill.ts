import { MAX_BILL_BYTES } from '@tollgate/common/file-sizes';
import type { Command } from 'commander';
import { renderText } from '../output/render.ts';
import { connect } from '../profiles/connect.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { count, readText } from './read-text.ts';

export function addImportBillCommand(providers: Command, io: Io): void {
  providers
    .command('import-bill')
    .description(
      "Compare a provider's export of usage or costs with what was metered; exits with status 1 if days differ",
    )
    .argument('<provider>', 'of the catalogue')
    .argument('<file>', 'the export, CSV or JSON')
    .option('--tolerance-percent <percent>', 'what counts as a difference', '1')
    .action(async (provider: string, file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { tolerancePercent: string }>();
      const content = await readText(io, file, { maxBytes: MAX_BILL_BYTES, noun: 'an export' });
      const response = await connect(io, options).call('POST /operator/providers/{provider}/bills', {
        path: { provider },
        body: { content, tolerance_percent: options.tolerancePercent },
      });
      print(io, options, { json: response, text: renderText(response) });
      if (response.differences > 0)
        throw new CommandFailure(`${count(response.differences, 'day')} of models differ from what was metered`);
    });
}
