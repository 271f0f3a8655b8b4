import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Facts } from '../stack/types.ts';

/** Writes the facts so that a reader finds either all of them or no file. They hold a key: only the owner may read. */
export function writeFacts(file: string, facts: Facts): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.new`;
  writeFileSync(temporary, textOf(facts), { mode: 0o600 });
  renameSync(temporary, file);
}

/** Removes the facts, unless another stack has written its own there since. */
export function removeFacts(file: string, facts: Facts): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === textOf(facts)) rmSync(file, { force: true });
}

function textOf(facts: Facts): string {
  return `${JSON.stringify(facts, null, 2)}\n`;
}
