import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@tollgate/common/errors';
import type { CatalogueChange, CatalogueError } from '@tollgate/proto/router';
import type { Command } from 'commander';
import { formatTable } from '../output/table.ts';
import { callRouter } from '../services/clients.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';

/** What the router accepts. */
const MAX_BYTES = 4 * 1024 * 1024;

const COLUMNS = [{ title: 'MODEL' }, { title: 'FIELD' }, { title: 'IN USE' }, { title: 'FILE' }];

export function addModelsDiffCommand(models: Command, io: Io): void {
  models
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
      const json = { errors: errors.map(errorJson), changes: changes.map(changeJson) };
      const text = errors.length > 0 ? errorLines(file, errors) : changesTable(changes);
      print(io, options, { json, text });
      if (errors.length > 0) throw new CommandFailure(`${file} has ${count(errors.length, 'error')}`);
    });
}

async function readCatalogue(io: Io, file: string): Promise<string> {
  const path = resolve(io.cwd, file);
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes; a catalogue has at most ${MAX_BYTES}`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
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

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
