import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';

/** A bug planted in the code. */
export interface MutatedCode {
  /** What is broken. */
  name: string;
  edits: readonly Edit[];
}

export interface Edit {
  /** Relative to the repository's root. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
}

/**
 * The mutated text of each file.
 *
 * @throws Error unless each text to replace occurs exactly once
 */
export function mutatedTexts({ name, edits }: MutatedCode, texts: ReadonlyMap<string, string>): Map<string, string> {
  const mutated = new Map(texts);
  for (const { file, find, replace } of edits) {
    const parts = mutated.get(file)?.split(find) ?? [];
    if (parts.length !== 2) throw new Error(`${name}: found ${parts.length - 1} times in ${file}: ${find}`);
    mutated.set(file, parts.join(replace));
  }
  return mutated;
}

/** Files that a mutation does not change, which is a defect of the mutation. */
export function unchangedFiles(mutation: MutatedCode): string[] {
  const texts = new Map(mutation.edits.map(({ file }) => [file, readFileSync(join(CHECKOUT, file), 'utf8')]));
  return [...mutatedTexts(mutation, texts)].filter(([file, text]) => text === texts.get(file)).map(([file]) => file);
}
