import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@tollgate/common/errors';
import { MAX_CATALOGUE_BYTES } from '@tollgate/common/file-sizes';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';

/** Reads the text of a catalogue file. */
export function readCatalogue(io: Io, file: string): Promise<string> {
  return readText(io, file, { maxBytes: MAX_CATALOGUE_BYTES, noun: 'a catalogue' });
}

/** Reads a file that the API takes. */
export async function readText(
  io: Io,
  file: string,
  { maxBytes, noun }: { maxBytes: number; noun: string },
): Promise<string> {
  const path = resolve(io.cwd, file);
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new Error(`it has ${size} bytes; ${noun} has at most ${maxBytes}`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
