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
import type { MutatedCode } from './mutated-code.ts';
import { Sources } from './plant.ts';

/** A copy of some workspaces, in which faults can be planted. */
export interface CopiedTree {
  root: string;
  /** @returns a function that removes the fault */
  plant: (mutation: MutatedCode) => () => void;
  remove: () => void;
}

/**
 * Copies workspaces without their tests. Their packages resolve to the copies, all other packages to the installed
 * ones.
 *
 * @param workspaces folders of workspaces
 * @param others further folders to copy
 */
export function copyTree(workspaces: readonly string[], others: readonly string[] = []): CopiedTree {
  const root = mkdtempSync(join(tmpdir(), 'tollgate-faults-'));
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    const modules = join(root, 'node_modules');
    mkdirSync(join(modules, '@tollgate'), { recursive: true });
    for (const name of readdirSync(join(CHECKOUT, 'node_modules')))
      if (name !== '@tollgate') symlinkSync(join(CHECKOUT, 'node_modules', name), join(modules, name));
    cpSync(join(CHECKOUT, 'package.json'), join(root, 'package.json'));
    const filter = (source: string) => !source.endsWith('/node_modules') && !source.endsWith('.test.ts');
    for (const path of [...workspaces, ...others])
      cpSync(join(CHECKOUT, path), join(root, path), { recursive: true, filter });
    for (const path of workspaces) {
      const { name }: { name: string } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
      symlinkSync(join(root, path), join(modules, name));
      const own = join(CHECKOUT, path, 'node_modules');
      if (existsSync(own)) symlinkSync(own, join(root, path, 'node_modules'));
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { root, remove, plant: (mutation) => plant(root, mutation) };
}

function plant(root: string, mutation: MutatedCode): () => void {
  const sources = new Sources(root);
  sources.plant(mutation);
  const sound = [...sources.planted.keys()].map((file) => [join(root, file), readFileSync(join(root, file))] as const);
  for (const [file, text] of sources.planted) writeFileSync(join(root, file), text);
  return () => {
    for (const [file, text] of sound) writeFileSync(file, text);
  };
}
