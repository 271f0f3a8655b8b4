import type { Command } from 'commander';
import { renderText } from '../output/render.ts';
import { connect } from '../profiles/connect.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { count, readCatalogue } from './read-text.ts';

export function addCatalogueDiffCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('diff')
    .description(
      'Compare a catalogue file with the catalogue in use, without using it; exits with status 1 if it has errors',
    )
    .argument('<file>', 'the catalogue, YAML or JSON')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const body = { content: await readCatalogue(io, file) };
      const response = await connect(io, options).call('POST /operator/catalogue/compare', { body });
      const { errors, changes, last_month: lastMonth } = response;
      // As compilers print them, so that editors find the place.
      const lines = errors.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}\n`).join('');
      const unchanged = 'The file does not differ from the catalogue in use.\n';
      const differences = changes.length === 0 ? unchanged : renderText({ data: changes, last_month: lastMonth });
      print(io, options, { json: response, text: errors.length > 0 ? lines : differences });
      if (errors.length > 0) throw new CommandFailure(`${file} has ${count(errors.length, 'error')}`);
    });
}
