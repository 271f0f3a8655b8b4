import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MAX_CATALOGUE_BYTES } from '@tollgate/common/catalogue-size';
import { messageOf } from '@tollgate/common/errors';
import type { Comparison } from '../catalogue/compare-source.ts';
import { readDecisions } from '../catalogue/decisions.ts';
import { readPriceSource, SourceIndex } from '../catalogue/price-source.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/** Reads the text of a catalogue file. */
export async function readCatalogue(io: Io, file: string): Promise<string> {
  const path = resolve(io.cwd, file);
  try {
    const { size } = await stat(path);
    if (size > MAX_CATALOGUE_BYTES)
      throw new Error(`it has ${size} bytes; a catalogue has at most ${MAX_CATALOGUE_BYTES}`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** The shipped price source, and the prices in effect today. */
export function readComparison(io: Io): Comparison {
  return {
    index: new SourceIndex(readPriceSource()),
    decisions: readDecisions(),
    today: new Date(io.now()).toISOString().slice(0, 10),
  };
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
