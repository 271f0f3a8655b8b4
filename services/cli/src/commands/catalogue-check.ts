import { formatProblem, type Problem } from '@tollgate/router/catalogue/problem';
import type { Command } from 'commander';
import { checkCatalogue } from '../catalogue/check-file.ts';
import { percent } from '../terminal/arguments.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Json, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { count, readCatalogue, readComparison } from './read-catalogue.ts';

interface CheckOptions extends GlobalOptions {
  tolerance: number;
}

/** One percent. */
const DEFAULT_TOLERANCE_PPM = 10_000;

export function addCatalogueCheckCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('check')
    .description(
      'check a catalogue file as the router does, and its prices against public ones; exits with status 1 if it has errors',
    )
    .argument('<file>', 'the catalogue, YAML or JSON')
    .option('--tolerance <percent>', 'how far a rate may be from the public one', percent, DEFAULT_TOLERANCE_PPM)
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CheckOptions>();
      const text = await readCatalogue(io, file);
      const comparison = readComparison(io);
      const tolerancePpm = BigInt(options.tolerance);
      const checked = checkCatalogue(file, text, { ...comparison, env: io.env, tolerancePpm });
      const { errors, warnings, providers, models, unset } = checked;
      const { read, sources } = comparison.index.source;
      print(io, options, {
        json: {
          errors: errors.map(problemJson),
          warnings: warnings.map(problemJson),
          providers,
          models,
          unset_variables: unset,
          source: { read, versions: Object.fromEntries(sources.map(({ name, version }) => [name, version])) },
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

function problemJson({ line, column, path, message }: Problem): Json {
  return { line, column, path, message };
}
