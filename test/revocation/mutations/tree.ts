import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { mutatedTexts } from '../../ledger/mutations/tree.ts';
import type { Mutation } from './mutation.ts';

/** What ingresses and auths run on, by the name of its package. */
const WORKSPACES = {
  proto: 'proto',
  auth: 'services/auth',
  common: 'services/common',
  ingress: 'services/ingress',
  protocols: 'services/protocols',
};

/** A copy of the code of ingress and auth in which a mutation is made. */
export interface MutatedTree {
  root: string;
  remove: () => void;
}

/** Copies the code, with the packages it uses linked to the copies and to what is installed, and makes a mutation. */
export function mutatedTree(mutation: Mutation): MutatedTree {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-mutation-'));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const modules = join(root, 'node_modules');
    mkdirSync(join(modules, '@tollgate'), { recursive: true });
    for (const name of readdirSync(join(CHECKOUT, 'node_modules')))
      if (name !== '@tollgate') symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name));
    cpSync(join(CHECKOUT, 'package.json'), join(root, 'package.json'));
    for (const [name, path] of Object.entries(WORKSPACES)) {
      const filter = (source: string) => !source.endsWith('/node_modules') && !source.endsWith('.test.ts');
      cpSync(join(CHECKOUT, path), join(root, path), { recursive: true, filter });
      symlinkSync(join(root, path), join(modules, '@tollgate', name));
      const own = join(CHECKOUT, path, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(root, path, 'node_modules'));
    }
    const texts = new Map<string, string>();
    for (const { file } of mutation.edits) texts.set(file, readFileSync(join(root, file), 'utf8'));
    for (const [file, text] of mutatedTexts(mutation, texts)) writeFileSync(join(root, file), text);
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
