import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Installs the packages that workspaces need at run time into the current folder: `install-packages.ts NAME...`. npm
 * follows the devDependencies from one workspace to another even with --omit=dev, so they are removed first.
 */
interface Manifest {
  devDependencies?: unknown;
}

function edit<T>(file: string, change: (content: T) => void): void {
  const content: T = JSON.parse(readFileSync(file, 'utf8'));
  change(content);
  writeFileSync(file, JSON.stringify(content));
}

for (const file of globSync(['package.json', '{proto,bench,helm,test}/package.json', '*/*/package.json']))
  edit<Manifest>(file, (manifest) => delete manifest.devDependencies);
edit<{ packages: Record<string, Manifest> }>('package-lock.json', ({ packages }) => {
  for (const [path, manifest] of Object.entries(packages))
    if (!path.includes('node_modules/')) delete manifest.devDependencies;
});

const workspaces = process.argv.slice(2).map((name) => `--workspace=@tollgate/${name}`);
const options = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
execFileSync('npm', ['ci', ...options, ...workspaces], { stdio: 'inherit' });
if (existsSync('node_modules/vitest')) throw new Error('packages of tests were installed');

// Node.js strips no types from packages and needs no source maps.
for (const file of globSync('**/*.{map,ts,cts,mts}')) rmSync(file);
