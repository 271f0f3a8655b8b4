import { readFile, stat } from 'node:fs/promises';
import { messageOf } from '@tollgate/common/errors';
import { MAX_CATALOGUE_BYTES } from '@tollgate/common/file-sizes';
import { MAX_MESSAGE_BYTES } from '@tollgate/common/grpc/server';
import { RouteTable } from '@tollgate/proto/router';
import type { VariableLookup } from './base-url.ts';
import { type ParsedCatalogue, parseCatalogue } from './parse.ts';
import { CatalogueError } from './problem.ts';
import type { Routes } from './to-routes.ts';

/** Maximum size of a route table: a message, less the version of the table. */
const MAX_TABLE_BYTES = MAX_MESSAGE_BYTES - 1_024;

/**
 * Reads a catalogue file's text.
 *
 * @throws CatalogueError when it cannot be read or is too large
 */
export async function readCatalogueFile(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > MAX_CATALOGUE_BYTES) throw new Error(`is larger than ${MAX_CATALOGUE_BYTES} bytes`);
    return await readFile(file, 'utf8');
  } catch (error) {
    const message = `cannot be read: ${messageOf(error)}`;
    throw new CatalogueError(file, [{ line: 1, column: 1, path: '', message }]);
  }
}

/**
 * Parses a catalogue's text.
 *
 * @param file the name in problems
 * @param before the routes loaded before, if any
 * @throws CatalogueError listing every problem
 */
export function catalogueFromText(
  file: string,
  text: string,
  lookup: VariableLookup,
  before?: Routes,
): ParsedCatalogue {
  const result = parseCatalogue(text, { lookup, before });
  if (!result.ok) throw new CatalogueError(file, result.problems);
  const bytes = RouteTable.encode({ version: '', ...result.routes }).finish().length;
  if (bytes > MAX_TABLE_BYTES) {
    const message = `results in a route table of ${bytes} bytes; at most ${MAX_TABLE_BYTES} can be sent to ingresses`;
    throw new CatalogueError(file, [{ line: 1, column: 1, path: '', message }]);
  }
  return result;
}
