import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Document, isSeq, parseDocument } from 'yaml';

/** The lists of a catalogue file. */
const LISTS = ['providers', 'models'] as const;

/**
 * Combines the providers and models of several catalogues. The failsafe schema keeps every value as text, because
 * prices are parsed from their text.
 *
 * @param texts at least one
 */
export function combineCatalogues(texts: readonly string[]): string {
  const [first, ...others] = texts.map((text) => parseDocument(text, { schema: 'failsafe' }));
  if (first === undefined) throw new Error('there is no catalogue to combine');
  for (const list of LISTS) {
    const items = listOf(first, list);
    for (const other of others) items.push(...listOf(other, list));
  }
  first.commentBefore = ' Put together from several catalogues at the start; a change here is lost with the next one.';
  return String(first);
}

/** Writes the combined catalogue atomically. */
export function writeCombined(file: string, sources: readonly string[]): void {
  const text = combineCatalogues(sources.map((source) => readFileSync(source, 'utf8')));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function listOf(document: Document, name: string): unknown[] {
  const list = document.get(name);
  if (!isSeq(list)) throw new Error(`a catalogue has no list of ${name}`);
  return list.items;
}
