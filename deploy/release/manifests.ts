import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What of a package.json, and of its entry in the lock file, names versions of workspaces. */
interface Manifest {
  name?: string;
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

interface LockFile {
  packages: Record<string, Manifest>;
}

const LOCK = 'package-lock.json';
const CHART = 'helm/tollgate/Chart.yaml';

/**
 * The version of all workspaces.
 *
 * @throws Error when they have several
 */
export function currentVersion(root: string): string {
  const lock = readLock(root);
  const versions = new Set(workspacesOf(lock).map((folder) => lock.packages[folder]?.version ?? 'none'));
  const [version] = versions;
  if (version === undefined || versions.size > 1)
    throw new Error(`Workspaces have the versions ${[...versions].join(', ')}`);
  return version;
}

/** Gives the packages of all workspaces, and the chart, a version. */
export function setVersion(root: string, version: string): void {
  const lock = readLock(root);
  const workspaces = workspacesOf(lock);
  const names = new Set(workspaces.map((folder) => lock.packages[folder]?.name ?? ''));
  for (const folder of ['', ...workspaces]) {
    const file = join(root, folder, 'package.json');
    const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeJson(file, withVersion(manifest, names, version));
    lock.packages[folder] = withVersion(lock.packages[folder] ?? {}, names, version);
  }
  writeJson(join(root, LOCK), lock);
  const chart = readFileSync(join(root, CHART), 'utf8');
  writeFileSync(
    join(root, CHART),
    chart.replace(/^version: .*$/m, `version: ${version}`).replace(/^appVersion: .*$/m, `appVersion: "${version}"`),
  );
}

function readLock(root: string): LockFile {
  return JSON.parse(readFileSync(join(root, LOCK), 'utf8'));
}

/** The folders of all workspaces but the root, which has no version. */
function workspacesOf(lock: LockFile): string[] {
  return Object.keys(lock.packages).filter((path) => path !== '' && !path.includes('node_modules/'));
}

function withVersion(manifest: Manifest, names: ReadonlySet<string>, version: string): Manifest {
  const changed = { ...manifest };
  if (manifest.version !== undefined) changed.version = version;
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    const entries = Object.entries(manifest[kind] ?? {});
    if (entries.length > 0) {
      changed[kind] = Object.fromEntries(entries.map(([name, range]) => [name, names.has(name) ? version : range]));
    }
  }
  return changed;
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
