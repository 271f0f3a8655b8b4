import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutation } from './mutation.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What a checker runs on. */
const COPIED = [
  'package.json',
  'proto',
  'services/common',
  'services/ingress',
  'services/ledger',
  'services/protocols',
  'test/ledger/checker',
  'test/support/mulberry32.ts',
];

/** Workspaces that the copies are of, by their package's name. */
const WORKSPACES = { proto: 'proto', common: 'services/common', protocols: 'services/protocols' };

/** A copy of the code, in which mutations are made one after another. */
export interface MutableTree {
  /** The checker's program in it. */
  checker: string;
  /** Makes a mutation. @returns takes it back */
  mutate: (mutation: Mutation) => () => void;
  remove: () => void;
}

/** Copies the code, with the packages it uses linked to the copies and to what is installed. */
export function copyTree(): MutableTree {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-mutations-'));
  for (const path of COPIED) {
    cpSync(join(ROOT, path), join(root, path), {
      recursive: true,
      filter: (source) => !source.includes('/node_modules') && !source.endsWith('.test.ts'),
    });
  }
  const modules = join(root, 'node_modules');
  mkdirSync(join(modules, '@tollgate'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@tollgate') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const [name, path] of Object.entries(WORKSPACES))
    symlinkSync(join(root, path), join(modules, '@tollgate', name));
  for (const path of COPIED) {
    const own = join(ROOT, path, 'node_modules');
    if (readdirSync(join(ROOT, path, '..')).length > 0 && isFolder(own))
      symlinkSync(own, join(root, path, 'node_modules'));
  }
  return {
    checker: join(root, 'test/ledger/checker/main.ts'),
    mutate: (mutation) => {
      const texts = new Map<string, string>();
      for (const { file } of mutation.edits) texts.set(file, readFileSync(join(root, file), 'utf8'));
      for (const [file, text] of mutatedTexts(mutation, texts)) writeFileSync(join(root, file), text);
      return () => {
        for (const [file, text] of texts) writeFileSync(join(root, file), text);
      };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * The files of a mutation as it makes them.
 *
 * @throws Error where what it is to replace is not there exactly once
 */
export function mutatedTexts(
  mutation: Pick<Mutation, 'name' | 'edits'>,
  texts: ReadonlyMap<string, string>,
): Map<string, string> {
  const mutated = new Map(texts);
  for (const { file, find, replace } of mutation.edits) {
    const parts = mutated.get(file)?.split(find) ?? [];
    if (parts.length !== 2) throw new Error(`${mutation.name}: ${file} has ${parts.length - 1} times: ${find}`);
    mutated.set(file, parts.join(replace));
  }
  return mutated;
}

function isFolder(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}
