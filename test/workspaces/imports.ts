import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { z } from 'zod';

const dependencies = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  name: z.string(),
  exports: z.record(z.string(), z.string()).default({}),
  workspaces: z.array(z.string()).optional(),
  dependencies,
  devDependencies: dependencies,
  optionalDependencies: dependencies,
});

export interface Workspace {
  /** Relative to the repository's root, which is a workspace itself: `.`. */
  folder: string;
  name: string;
  declared: ReadonlySet<string>;
  /** Files that others may import, by their path in the package; `*` stands for any part of both. */
  exports: Readonly<Record<string, string>>;
}

/** One import of a source file. */
export interface Import {
  file: string;
  workspace: Workspace;
  specifier: string;
  /** The imported file, relative to the repository's root; undefined for a package. */
  target: string | undefined;
}

const tracked = gitFiles('*.ts', '*.tsx', '*.js', '*.mjs', 'package.json', '*/package.json');
const root = readManifest('package.json');
const workspaces: readonly Workspace[] = tracked
  .filter((file) => file.endsWith('package.json'))
  .map((file) => {
    const manifest = readManifest(file);
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const declared = new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
    return { folder: dirname(file), name: manifest.name, declared, exports: manifest.exports };
  })
  .sort((one, other) => other.folder.length - one.folder.length);

/** The workspace a file belongs to: the one with the innermost folder. */
export function workspaceOf(file: string): Workspace {
  const found = workspaces.find(({ folder }) => folder === '.' || file.startsWith(`${folder}/`));
  if (found === undefined) throw new Error(`${file} belongs to no workspace`);
  return found;
}

/** Every import of every TypeScript and JavaScript file. */
export function allImports(): Import[] {
  return tracked.filter((file) => !file.endsWith('.json')).flatMap(importsOf);
}

/** The packages that others import from. */
export function importedPackages(): Workspace[] {
  return workspaces.filter(({ exports }) => Object.keys(exports).length > 0);
}

/** The modules that a package exports, as others import them; helpers of tests are not among them. */
export function exportedModules({ folder, name, exports }: Workspace): string[] {
  return Object.entries(exports).flatMap(([path, target]) => {
    if (!target.startsWith('./src/')) return [];
    const [before = '', after] = target.slice(2).split('*');
    if (after === undefined) return [`${name}${path.slice(1)}`];
    const names = tracked.flatMap((file) =>
      file.startsWith(`${folder}/${before}`) && file.endsWith(after) && !file.endsWith('.test.ts')
        ? [file.slice(folder.length + 1 + before.length, -after.length)]
        : [],
    );
    return names.map((each) => `${name}${path.slice(1).replace('*', each)}`);
  });
}

/** Whether the index of the imported package has a module. */
export function isExported(specifier: string): boolean {
  const name = packageOf(specifier);
  const path = `.${specifier.slice(name.length)}`;
  const { exports = {} } = workspaces.find((workspace) => workspace.name === name) ?? {};
  return Object.keys(exports).some((exported) => {
    const [before = '', after] = exported.split('*');
    return after === undefined ? path === exported : path.startsWith(before) && path.endsWith(after);
  });
}

/** Whether a folder has a lock file of its own, as clients under test have. It may import from the workspace around it. */
export function hasOwnInstallation({ folder }: Workspace): boolean {
  return folder !== '.' && existsSync(join(CHECKOUT, folder, 'package-lock.json'));
}

/** Package names of the workspaces that no glob of the root's package.json covers. */
export function undeclaredWorkspaces(): string[] {
  const globs = root.workspaces ?? [];
  const covered = (workspace: Workspace) =>
    workspace.folder === '.' ||
    hasOwnInstallation(workspace) ||
    globs.some((glob) =>
      glob.endsWith('/*') ? dirname(workspace.folder) === glob.slice(0, -2) : workspace.folder === glob,
    );
  return workspaces.filter((workspace) => !covered(workspace)).map(({ name }) => name);
}

/** The name of the package that a bare specifier imports from. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The folders that can be reached from themselves, by pairs of an importing and an imported folder. `.` composes all others. */
export function circles(pairs: readonly (readonly [from: string, to: string])[]): string[] {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of pairs) {
    if (from === to || from === '.' || to === '.') continue;
    targets.set(from, (targets.get(from) ?? new Set()).add(to));
  }
  const reachedFrom = (start: string) => {
    const reached = new Set<string>(targets.get(start));
    for (const folder of reached) for (const next of targets.get(folder) ?? []) reached.add(next);
    return reached;
  };
  return [...targets.keys()].filter((folder) => reachedFrom(folder).has(folder)).sort();
}

const STATEMENT = /^(?:import|export)\s(?:[^;'"`]*?\sfrom\s)?'([^'\s]+)'/gm;
const CALL = /\bimport\('([^'\s]+)'\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(CHECKOUT, file), 'utf8');
  const specifiers = [STATEMENT, CALL].flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = '']) => found));
  return specifiers
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) => ({
      file,
      workspace: workspaceOf(file),
      specifier,
      target: specifier.startsWith('.') ? relative('.', join(dirname(file), specifier)) : undefined,
    }));
}

function readManifest(file: string): z.output<typeof manifestSchema> {
  return manifestSchema.parse(JSON.parse(readFileSync(join(CHECKOUT, file), 'utf8')));
}

function gitFiles(...patterns: string[]): string[] {
  const output = execFileSync('git', ['ls-files', '-z', '--cached', '--', ...patterns], {
    cwd: CHECKOUT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.split('\0').filter((file) => file !== '');
}
