import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  allImports,
  circles,
  exportedModules,
  hasOwnInstallation,
  importedPackages,
  isExported,
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
  ({ file }) => /^(services|deploy)\/[^/]+\/(src|web)\//.test(file) && !/\/testing\/|\.test\.tsx?$/.test(file),
);

describe('product sources', () => {
  it('import neither vitest nor test helpers', () => {
    const found = ofProduct.filter(({ specifier }) => /^vitest$|^@tollgate\/test-support|\/testing\//.test(specifier));
    expect(found.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
  });
});

/** What product code imports of the services. They export more for tests alone. */
const SHARED_BY_SERVICES = [
  '@tollgate/console/api/index',
  '@tollgate/console/openapi/document',
  '@tollgate/console/openapi/types',
  '@tollgate/console/passwords/password-hash',
  '@tollgate/router/catalogue/load',
  '@tollgate/router/catalogue/problem',
];
const LIBRARIES = ['client-setups', 'common', 'proto', 'protocols'].map((name) => `@tollgate/${name}`);

describe('a service', () => {
  it('shares with product code of other packages only these modules', () => {
    const shared = ofProduct.filter(
      ({ specifier }) => specifier.startsWith('@tollgate/') && !LIBRARIES.includes(packageOf(specifier)),
    );
    expect([...new Set(shared.map(({ specifier }) => specifier))].sort()).toEqual(SHARED_BY_SERVICES);
  });
});

describe('a package', () => {
  it('exports only what another package imports', () => {
    const unused = importedPackages().flatMap((exporting) => {
      const imported = new Set(
        imports.filter(({ workspace }) => workspace !== exporting).map(({ specifier }) => specifier),
      );
      return exportedModules(exporting).filter((module) => !imported.has(module));
    });
    expect(unused).toEqual([]);
  });

  it('does not export all of its sources', () => {
    const all = importedPackages().filter(({ exports }) => exports['./*']?.startsWith('./src/') === true);
    expect(all.map(({ name }) => name)).toEqual([]);
  });

  it('imports only what others export', () => {
    const hidden = imports.filter(({ specifier }) => specifier.startsWith('@tollgate/') && !isExported(specifier));
    expect(hidden.map(({ file, specifier }) => `${file}: ${specifier}`)).toEqual([]);
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
