import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** A clone of this checkout, and beside it programs that stand in for those of the machine. */
const folder = makeTemporaryFolder();
const clone = join(folder.path, 'clone');

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', CHECKOUT, clone]);
  git('checkout', '--quiet', '-B', 'main');
  git('config', 'user.name', 'Releaser');
  git('config', 'user.email', 'releaser@example.com');
  const changelog = read('CHANGELOG.md').replace('[Unreleased]\n', '[Unreleased]\n\n### Fixed\n\n- A fault.\n');
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
  git('commit', '--quiet', '--all', '--message', 'Fix a fault');
  git('branch', 'before');
  program('helm', `[ "$1" = package ] && touch "$4/tollgate-$(sed -n 's/^version: //p' "$2/Chart.yaml").tgz"`);
});
beforeEach(() => {
  git('reset', '--quiet', '--hard', 'before');
  for (const tag of git('tag', '--list', 'v7.*').split('\n')) if (tag !== '') git('tag', '--delete', tag);
});
afterAll(() => folder.remove());

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: clone, encoding: 'utf8' }).trim();
}

function program(name: string, script: string): void {
  const path = join(folder.path, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

function release(version: string, env: Record<string, string> = { SKIP_IMAGES: '1' }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, HELM: join(folder.path, 'helm'), VERSION: version, ...env },
  });
  return { status, stdout, stderr };
}

const read = (file: string) => readFileSync(join(clone, file), 'utf8');

describe('a release', () => {
  it('gives every package and the chart its version, in one commit with a tag', () => {
    const { status, stderr } = release('7.0.0');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(git('rev-parse', 'v7.0.0^{commit}~1')).toBe(git('rev-parse', 'before'));
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-1', '--format=%s')).toBe('Release 7.0.0');
    expect(git('tag', '--list', '--format=%(contents)', 'v7.0.0')).toMatch(
      /^Tollgate 7\.0\.0\n\n### Fixed\n\n- A fault\./,
    );

    const workspaces = globSync('{proto,services/*,deploy/*,helm,test,test/support,bench}/package.json', {
      cwd: clone,
    });
    const versions = workspaces.map((file) => (JSON.parse(read(file)) as { version: string }).version);
    expect([...new Set(versions)]).toEqual(['7.0.0']);
    const own = /"@tollgate\/[\w-]+": "(?!7\.0\.0)/;
    expect(['package.json', 'package-lock.json', ...workspaces].filter((file) => own.test(read(file)))).toEqual([]);
    expect(read('helm/tollgate/Chart.yaml')).toMatch(/^version: 7\.0\.0\nappVersion: "7\.0\.0"$/m);
    expect(read('CHANGELOG.md')).toMatch(/## \[Unreleased\]\n\n## \[7\.0\.0\] - \d{4}-\d\d-\d\d\n\n### Fixed\n/);
  });

  it('leaves a lock file that npm accepts, and formatted files', () => {
    release('7.0.0');
    const lock = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline'], {
      cwd: clone,
      encoding: 'utf8',
    });
    expect(lock.stderr).not.toMatch(/EUSAGE|Missing|Invalid/);
    const changed = git('diff', '--numstat', 'HEAD~1').split('\n');
    const odd = changed.filter((line) => !line.endsWith('CHANGELOG.md') && line.split('\t')[0] !== line.split('\t')[1]);
    expect(odd).toEqual([]);
  });

  it('packages the chart and prints what publishes it', () => {
    const { stdout } = release('7.0.0-rc.1');
    expect(existsSync(join(clone, '.cache/release/7.0.0-rc.1/tollgate-7.0.0-rc.1.tgz'))).toBe(true);
    expect(stdout).toContain('helm push .cache/release/7.0.0-rc.1/tollgate-7.0.0-rc.1.tgz oci://$REGISTRY/charts');
    expect(stdout).toContain('git push --atomic origin main v7.0.0-rc.1');
    expect(stdout).not.toContain('docker');
  });

  it('builds images with its version', () => {
    program('docker', `[ "$1 $2" = 'image inspect' ] && echo 1000000; [ "$1" != buildx ]`);
    const { status, stdout } = release('7.0.0', { DOCKER: join(folder.path, 'docker') });
    expect(status).toBe(0);
    expect(stdout).toContain('Building tollgate/ingress:7.0.0');
    expect(stdout).toContain('docker push $REGISTRY/tollgate/ingress:7.0.0');
  });
});

describe('nothing is changed', () => {
  it.each(['', '7.0', 'v7.0.0', '7.0.0+build'])('for a version %j, which is none', (version) => {
    expectRefusal(release(version), `VERSION must be a semantic version such as 1.2.0, and is "${version}"`);
  });

  it('for a version that is not newer', () => {
    const current = (JSON.parse(read('services/ingress/package.json')) as { version: string }).version;
    expectRefusal(release(current), `VERSION must be newer than ${current}, and is ${current}`);
    expectRefusal(release('0.0.1'), `VERSION must be newer than ${current}, and is 0.0.1`);
  });

  it('if files are changed', () => {
    appendFileSync(join(clone, 'README.md'), 'x\n');
    expect(release('7.0.0').stderr).toBe('Files are changed: commit them first\n');
    expect(git('status', '--porcelain')).toBe('M README.md');
  });

  it('if the tag exists', () => {
    git('tag', 'v7.0.0');
    expectRefusal(release('7.0.0'), 'The tag v7.0.0 exists');
  });

  it('if an image cannot be built', () => {
    program('docker', 'exit 1');
    const { status, stderr } = release('7.0.0', { DOCKER: join(folder.path, 'docker') });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/deploy\/images\/build failed\n$/) });
    expectUnchanged();
    expect(git('tag', '--list', 'v7.*')).toBe('');
  });
});

function expectRefusal(result: ReturnType<typeof release>, message: string): void {
  expect(result).toEqual({ status: 1, stdout: '', stderr: `${message}\n` });
  expectUnchanged();
}

function expectUnchanged(): void {
  expect(git('status', '--porcelain')).toBe('');
  expect(git('rev-parse', 'HEAD')).toBe(git('rev-parse', 'before'));
}
