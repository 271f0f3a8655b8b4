/**
 * `make test-changed`: runs the tests of `make test` that the changes since a commit can affect, committed or not.
 *
 * SINCE is the commit; by default the newest one that is also in origin/main, or in main without a remote.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { affectedBy } from './affected.ts';

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const filesOf = (...args: string[]) =>
  git(...args, '-z')
    .split('\0')
    .filter((file) => file !== '');

function defaultBase(): string {
  const branch = ['origin/main', 'main'].find(
    (name) => spawnSync('git', ['rev-parse', '--verify', '--quiet', name]).status === 0,
  );
  if (branch === undefined) throw new Error('There is neither origin/main nor main: set SINCE to a commit.');
  return git('merge-base', 'HEAD', branch).trim();
}

const base = process.env['SINCE'] || defaultBase();
const changed = [
  ...filesOf('diff', '--name-only', '--no-renames', base),
  ...filesOf('ls-files', '--others', '--exclude-standard'),
];
const sources = filesOf('ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx').filter(existsSync);
const plan = affectedBy(changed, new Map(sources.map((file) => [file, readFileSync(file, 'utf8')])));

process.stdout.write(`${changed.length} changed files since ${git('rev-parse', '--short', base).trim()}\n`);
if (changed.length > 0) {
  const args = plan === 'everything' ? ['run'] : ['related', '--run', ...plan];
  process.exitCode = spawnSync('vitest', args, { stdio: 'inherit' }).status ?? 1;
}
