import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Facts } from '../stack/types.ts';

/** Writes the facts atomically. They contain a key: only the owner may read them. */
export function writeFacts(file: string, facts: Facts): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.new`;
  writeFileSync(temporary, textOf(facts), { mode: 0o600 });
  renameSync(temporary, file);
}

/** Removes the facts, unless another stack has replaced them. */
export function removeFacts(file: string, facts: Facts): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === textOf(facts)) rmSync(file, { force: true });
}

function textOf(facts: Facts): string {
  return `${JSON.stringify(facts, null, 2)}\n`;
}
