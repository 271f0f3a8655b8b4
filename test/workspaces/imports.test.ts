import { describe, expect, it } from 'vitest';
import { allImports, hasOwnInstallation, packageOf, undeclaredWorkspaces, workspaceOf } from './imports.ts';

/** Files that print import statements for users to copy. */
const PRINTS_IMPORTS = ['deploy/local/src/up/ready-message.ts', 'services/client-setups/src/ai-sdk.ts'];

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
      ({ workspace, target }) =>
        target !== undefined &&
        workspace.folder !== '.' &&
        workspaceOf(target) !== workspace &&
        !(hasOwnInstallation(workspace) && workspace.folder.startsWith(`${workspaceOf(target).folder}/`)),
    );
    expect(leaving.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });
});

describe('product sources', () => {
  const ofProduct = imports.filter(
    ({ file }) => /^(services|deploy)\/[^/]+\/src\//.test(file) && !/\/testing\/|\.test\.ts$/.test(file),
  );

  it('import neither vitest nor test helpers', () => {
    const found = ofProduct.filter(({ specifier }) => /^vitest$|^@tollgate\/test-support|\/testing\//.test(specifier));
    expect(found.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });
});
