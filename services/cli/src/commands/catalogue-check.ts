import { formatProblem, type Problem } from '@tollgate/router/catalogue/problem';
import type { Command } from 'commander';
import { checkCatalogue } from '../catalogue/check-file.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { count, readCatalogue } from './read-text.ts';

export function addCatalogueCheckCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('check')
    .description('check a catalogue file as the router does; exits with status 1 if it has errors')
    .argument('<file>', 'the catalogue, YAML or JSON')
    .action(async (file: string, _: unknown, command: Command) => {
      const text = await readCatalogue(io, file);
      const { errors, warnings, providers, models, unset } = checkCatalogue(file, text, io.env);
      print(io, command.optsWithGlobals<GlobalOptions>(), {
        json: {
          errors: errors.map(problemJson),
          warnings: warnings.map(problemJson),
          providers,
          models,
          unset_variables: unset,
        },
        text: [
          ...errors.map((error) => formatProblem(file, error)),
          ...warnings.map((warning) => `warning: ${formatProblem(file, warning)}`),
          ...(errors.length === 0 ? [`ok: ${count(providers, 'provider')}, ${count(models, 'model')}`] : []),
          ...(unset.length > 0 ? [`the router will need these variables: ${unset.join(', ')}`] : []),
        ]
          .map((line) => `${line}\n`)
          .join(''),
      });
      if (errors.length > 0) throw new CommandFailure(`${file} has ${count(errors.length, 'error')}`);
    });
}

function problemJson({ line, column, path, message }: Problem) {
  return { line, column, path, message };
}
