import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  allImports,
  circles,
  exportedModules,
  hasOwnInstallation,
  libraries,
  packageOf,
  undeclaredWorkspaces,
  workspaceOf,
} from './imports.ts';

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

const ofProduct = imports.filter(
  ({ file }) => /^(services|deploy)\/[^/]+\/src\//.test(file) && !/\/testing\/|\.test\.ts$/.test(file),
);

describe('product sources', () => {
  it('import neither vitest nor test helpers', () => {
    const found = ofProduct.filter(({ specifier }) => /^vitest$|^@tollgate\/test-support|\/testing\//.test(specifier));
    expect(found.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });
});

describe('a library', () => {
  it('exports only what another package imports', () => {
    const unused = libraries().flatMap((library) => {
      const imported = new Set(
        imports.filter(({ workspace }) => workspace !== library).map(({ specifier }) => specifier),
      );
      return exportedModules(library).filter((module) => !imported.has(module));
    });
    expect(unused).toEqual([]);
  });
});

describe('the ingress', () => {
  const SRC = 'services/ingress/src/';
  /** From top to bottom. What lies beside them starts the service and serves its endpoints. */
  const FLOORS = ['edge', 'plan', 'exchange', 'wallet', 'shared'];
  const ofIngress = ofProduct.flatMap(({ file, target }) =>
    file.startsWith(SRC) && target?.startsWith(SRC) === true
      ? [{ file: file.slice(SRC.length), target: target.slice(SRC.length) }]
      : [],
  );

  /** The settings are at the bottom, since every floor takes those that it needs. */
  const floorOf = (file: string) => (file === 'config.ts' ? FLOORS.length : FLOORS.indexOf(file.split('/')[0] ?? ''));

  it('has floors, of which each imports only what lies below', () => {
    const upwards = ofIngress.filter(({ file, target }) => floorOf(target) < floorOf(file));
    expect(upwards.map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
    expect(FLOORS.filter((floor) => !ofIngress.some(({ file }) => file.startsWith(`${floor}/`)))).toEqual([]);
  });

  it('has no folders that import each other in a circle', () => {
    expect(circles(ofIngress.map(({ file, target }) => [dirname(file), dirname(target)]))).toEqual([]);
  });
});
