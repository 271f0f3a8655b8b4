import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Facts } from '../stack/types.ts';

/** Writes the facts so that a reader finds either all of them or no file. They hold a key: only the owner may read. */
export function writeFacts(file: string, facts: Facts): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.new`;
  writeFileSync(temporary, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

export function removeFacts(file: string): void {
  rmSync(file, { force: true });
}
