import type { CatalogueChange, CatalogueError } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { formatTable } from '../output/table.ts';
import { callRouter } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { count, readCatalogue } from './read-catalogue.ts';

const COLUMNS = [{ title: 'MODEL' }, { title: 'FIELD' }, { title: 'IN USE' }, { title: 'FILE' }];

export function addCatalogueDiffCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('diff')
    .description(
      'compare a catalogue file with the catalogue in use, without using it; exits with status 1 if it has errors',
    )
    .argument('<file>', 'the catalogue, YAML or JSON')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const content = await readCatalogue(io, file);
      const { errors, changes } = await callRouter({ io, options }, (client) => client.compareCatalogue.bind(client), {
        content,
      });
      print(io, options, {
        json: { errors: errors.map(errorJson), changes: changes.map(changeJson) },
        text: errors.length > 0 ? errorLines(file, errors) : changesTable(changes),
      });
      if (errors.length > 0) throw new CommandFailure(`${file} has ${count(errors.length, 'error')}`);
    });
}

/** One line an error, as compilers print them, so that editors find the place. */
function errorLines(file: string, errors: readonly CatalogueError[]): string {
  return errors.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}\n`).join('');
}

function changesTable(changes: readonly CatalogueChange[]): string {
  const rows = changes.map(({ modelId, field, before, after }) => [modelId, field, shown(before), shown(after)]);
  return formatTable(COLUMNS, rows, 'The file does not differ from the catalogue in use.');
}

function shown(value: string): string {
  return value === '' ? 'none' : value;
}

function errorJson({ line, column, message }: CatalogueError) {
  return { line, column, message };
}

/** Changes of providers have no model. */
function changeJson({ modelId, field, before, after }: CatalogueChange) {
  return { model: modelId || null, field, in_use: before || null, file: after || null };
}
