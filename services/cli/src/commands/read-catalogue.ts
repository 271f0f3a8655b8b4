import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MAX_CATALOGUE_BYTES } from '@tollgate/common/catalogue-size';
import { messageOf } from '@tollgate/common/errors';
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

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
