import { describe, expect, it } from 'vitest';
import { allImports, type Import, packageOf, undeclaredWorkspaces, workspaceOf } from './imports.ts';

/** Relative imports that leave their workspace: tests that use the internals of services. */
const RELATIVE_EXCEPTIONS: readonly string[] = [
  'bench -> services/ledger',
  'helm -> services/cli',
  'services/cli -> services/auth',
  'services/cli -> services/ledger',
  'services/cli -> services/router',
  'services/ingress -> services/auth',
  'services/ingress -> services/ledger',
  'test -> services/ingress',
  'test -> services/ledger',
  'test -> services/router',
  'test/support -> services/ledger',
];
/** Helpers of tests that still lie among the sources. */
const VITEST_EXCEPTIONS: readonly string[] = [
  'services/common/src/keys/script-behaviour.ts',
  'services/common/src/limits/script-behaviour.ts',
  'services/common/src/redis/testing/promises.ts',
  'services/ingress/src/authenticate/testing/open-ingress.ts',
];
/** Files that print import statements for users to copy. */
const PRINTS_IMPORTS = ['deploy/local/src/up/ready-message.ts'];

const imports = allImports();

describe('a workspace', () => {
  it('is listed in the package.json of the repository', () => {
    expect(undeclaredWorkspaces()).toEqual([]);
  });

  it('declares the packages it imports', () => {
    const undeclared = imports.filter(
      ({ file, specifier, target, workspace }) =>
        target === undefined &&
        !PRINTS_IMPORTS.includes(file) &&
        packageOf(specifier) !== workspace.name &&
        !workspace.declared.has(packageOf(specifier)),
    );
    expect(undeclared.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });

  it('imports other workspaces by their package names', () => {
    const leaving = imports.filter(
      ({ workspace, target }) => target !== undefined && workspaceOf(target) !== workspace && workspace.folder !== '.',
    );
    expect(leaving.map(pair).filter((found) => !RELATIVE_EXCEPTIONS.includes(found))).toEqual([]);
  });
});

describe('product sources', () => {
  it('import vitest in tests only', () => {
    const found = imports.filter(
      ({ file, specifier }) =>
        /^services\/[^/]+\/src\//.test(file) && !file.endsWith('.test.ts') && packageOf(specifier) === 'vitest',
    );
    expect(found.map(({ file }) => file).filter((file) => !VITEST_EXCEPTIONS.includes(file))).toEqual([]);
  });
});

function pair({ workspace, target = '' }: Import): string {
  return `${workspace.folder} -> ${workspaceOf(target).folder}`;
}
