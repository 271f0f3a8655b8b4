/**
 * `make release VERSION=1.2.0`: gives all packages and the chart the version, moves the unreleased changes to it, commits,
 * builds the images, packages the chart and tags. It pushes nothing, and leaves nothing behind where a step fails.
 *
 * SKIP_IMAGES=1 builds no images.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseChanges } from './changelog.ts';
import { currentVersion, setVersion } from './manifests.ts';
import { nextSteps } from './next-steps.ts';
import { compareVersions } from './version.ts';

const SERVICES = ['ingress', 'auth', 'ledger', 'router', 'console', 'payments', 'simulator'];

const root = process.cwd();
const print = (line: string) => process.stdout.write(`${line}\n`);
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();

function run(command: string, args: readonly string[], env: Record<string, string> = {}): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${command} failed${error === undefined ? '' : `: ${error.message}`}`);
}

/** Checks everything that can be checked before a file is changed. */
function check(version: string): void {
  const current = currentVersion(root);
  const order = compareVersions(version, current);
  if (order === undefined) throw new Error(`VERSION must be a semantic version such as 1.2.0, and is "${version}"`);
  if (order <= 0) throw new Error(`VERSION must be newer than ${current}, and is ${version}`);
  if (git('status', '--porcelain') !== '') throw new Error('Files are changed: commit them first');
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`The tag v${version} exists`);
}

function release(version: string): void {
  check(version);
  const { changelog, notes } = releaseChanges(readFileSync('CHANGELOG.md', 'utf8'), version, today());
  const branch = git('symbolic-ref', '--short', 'HEAD');
  const helm = execFileSync('deploy/tools/tool', ['helm'], { encoding: 'utf8' }).trim();
  const folder = join('.cache/release', version);
  const archives = join(folder, 'images');
  const images = process.env['SKIP_IMAGES'] === '1' ? [] : SERVICES;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  commit(version, changelog);
  try {
    run(helm, ['package', 'helm/tollgate', '--destination', folder]);
    if (images.length > 0) run('deploy/images/build', images, { IMAGE_TAG: version, IMAGE_ARCHIVES: archives });
    git('tag', '--annotate', '--cleanup=verbatim', '--message', `Tollgate ${version}\n\n${notes}`, `v${version}`);
  } catch (error) {
    // Unlike --hard, it keeps what somebody has changed during the build.
    git('reset', '--quiet', '--keep', 'HEAD~1');
    throw error;
  }
  print(nextSteps({ version, branch, folder, images, isArchived: existsSync(archives) }));
}

function commit(version: string, changelog: string): void {
  try {
    setVersion(root, version);
    writeFileSync('CHANGELOG.md', changelog);
    git('commit', '--quiet', '--all', '--message', `Release ${version}`);
  } catch (error) {
    git('reset', '--quiet', '--hard');
    throw error;
  }
}

/** In UTC. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}

try {
  release(process.env['VERSION'] ?? '');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
