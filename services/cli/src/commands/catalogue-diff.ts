import type { CatalogueChange, CatalogueError } from '@tollgate/proto/router';
import { readDocument } from '@tollgate/router/catalogue/document';
import { catalogueFromText } from '@tollgate/router/catalogue/load';
import { CatalogueError as InvalidCatalogue, toCatalogueErrors } from '@tollgate/router/catalogue/problem';
import { catalogueSchema } from '@tollgate/router/catalogue/schema';
import { type Command, Option } from 'commander';
import { compareWithSource, type SourceDifference } from '../catalogue/compare-source.ts';
import { formatTable } from '../output/table.ts';
import { callRouter } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { count, readCatalogue, readComparison } from './read-catalogue.ts';

const COLUMNS = [{ title: 'MODEL' }, { title: 'FIELD' }, { title: 'IN USE' }, { title: 'FILE' }];
const SOURCE_COLUMNS = [
  { title: 'MODEL' },
  { title: 'FIELD' },
  { title: 'FILE' },
  { title: 'SOURCE' },
  { title: 'OF' },
];

interface DiffOptions extends GlobalOptions {
  with: 'in-use' | 'source';
}

export function addCatalogueDiffCommand(catalogue: Command, io: Io): void {
  catalogue
    .command('diff')
    .description(
      'compare a catalogue file with the catalogue in use, without using it, or with public prices and limits; exits with ' +
        'status 1 if it has errors',
    )
    .argument('<file>', 'the catalogue, YAML or JSON')
    .addOption(
      new Option('--with <what>', 'the catalogue in use, or public prices')
        .choices(['in-use', 'source'])
        .default('in-use'),
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DiffOptions>();
      const content = await readCatalogue(io, file);
      const errors =
        options.with === 'source'
          ? diffWithSource(io, options, file, content)
          : await diffWithInUse(io, options, file, content);
      if (errors > 0) throw new CommandFailure(`${file} has ${count(errors, 'error')}`);
    });
}

/** Prints what differs, or the errors; returns their number. */
async function diffWithInUse(io: Io, options: DiffOptions, file: string, content: string): Promise<number> {
  const { errors, changes } = await callRouter({ io, options }, (client) => client.compareCatalogue.bind(client), {
    content,
  });
  const json = { errors: errors.map(errorJson), changes: changes.map(changeJson) };
  const text = errors.length > 0 ? errorLines(file, errors) : changesTable(changes);
  print(io, options, { json, text });
  return errors.length;
}

function diffWithSource(io: Io, options: DiffOptions, file: string, content: string): number {
  const errors = errorsOf(file, content);
  const comparison = readComparison(io);
  const document = readDocument(content);
  const compared =
    errors.length > 0 || !document.ok
      ? []
      : compareWithSource(catalogueSchema.parse(document.document.value), comparison);
  const differences = compared.flatMap((model) => model.differences);
  const unknown = compared.flatMap(({ model, known }) => (known === undefined || 'upstream' in known ? [model] : []));
  const { read } = comparison.index.source;
  const table = formatTable(
    SOURCE_COLUMNS,
    differences.map(({ model, field, file: own, source, sourceName }) => [model, field, own, source, sourceName]),
    `The file does not differ from the source of ${read}.`,
  );
  const note = unknown.length === 0 ? '' : `Not in the source: ${unknown.join(', ')}\n`;
  print(io, options, {
    json: { errors: errors.map(errorJson), source_read: read, differences: differences.map(differenceJson), unknown },
    text: errors.length > 0 ? errorLines(file, errors) : `${table}${note}`,
  });
  return errors.length;
}

function errorsOf(file: string, content: string): CatalogueError[] {
  try {
    catalogueFromText(file, content, () => 'http://unset.invalid');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidCatalogue)) throw error;
    return toCatalogueErrors(error.problems);
  }
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

function differenceJson({ model, field, file, source, sourceName }: SourceDifference) {
  return { model, field, file, source, of: sourceName };
}
