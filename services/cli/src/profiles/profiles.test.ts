import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliPlace, runCli } from '../../testing/run-cli.ts';

const KEY = 'mk-tollgate-secret';

let folder: ReturnType<typeof makeTemporaryFolder>;
let file: string;
let server: Server;
let url: string;
/** The credentials that the console was called with. */
let seen: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer((req, res) => {
    seen.push(req.headers.authorization);
    const isKnown = req.headers.authorization !== 'Bearer mk-unknown';
    res.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    const error = { code: 'not_signed_in', message: 'Send a management key that is active.', field: null };
    res.end(JSON.stringify(isKnown ? { data: [] } : { error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  folder = makeTemporaryFolder();
  file = join(folder.path, 'own', 'profiles.json');
  seen = [];
});
afterEach(() => folder.remove());

function tollgate(args: string[], place: CliPlace = {}) {
  return runCli(args, { ...place, env: { TOLLGATE_CONFIG: file, ...place.env } });
}

describe('login', () => {
  it('keeps a key in a file that only the user can read, and logout forgets it', async () => {
    expect(await tollgate(['login', '--url', url], { secret: `${KEY}\n` })).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await tollgate(['models'])).toMatchObject({ status: 0, stdout: 'There are none.\n' });
    expect(seen).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    expect((await tollgate(['logout'])).stdout).toContain('The profile default is removed.');
    expect(readFileSync(file, 'utf8')).not.toContain(KEY);
    expect(await tollgate(['models'])).toMatchObject({ status: 1, stderr: expect.stringContaining('tollgate login') });
    expect(await tollgate(['logout'])).toMatchObject({ status: 1 });
  });

  it('takes the key from the environment, never from an argument', async () => {
    const env = { TOLLGATE_URL: url, TOLLGATE_MANAGEMENT_KEY: KEY };
    expect(await tollgate(['login'], { env })).toMatchObject({ status: 0 });
    expect(await tollgate(['login', '--url', url, KEY])).toMatchObject({ status: 2 });
  });

  it.each([
    ['a key that the console does not know', ['--url', 'URL'], 'mk-unknown', 'Send a management key that is active.'],
    ['what is no key', ['--url', 'URL'], 'sk-tollgate-x', 'begins with mk-'],
    ['plain HTTP to another machine', ['--url', 'http://gateway.example'], KEY, 'must be https'],
    ['a path', ['--url', 'https://gateway.example/console'], KEY, 'no address of a console'],
    [
      'a console that does not respond',
      ['--url', 'http://127.0.0.1:2'],
      KEY,
      'cannot be reached: connect ECONNREFUSED',
    ],
    ['no address', [], KEY, 'give --url'],
  ])('refuses %s, and keeps nothing', async (_, args, secret, message) => {
    const given = args.map((arg) => (arg === 'URL' ? url : arg));
    const { status, stderr } = await tollgate(['login', ...given], { secret });
    expect(status).toBeGreaterThan(0);
    expect(stderr).toContain(message);
    expect(await tollgate(['profiles', '--json'])).toMatchObject({ stdout: expect.stringContaining('"data": []') });
  });
});

describe('profiles', () => {
  beforeEach(async () => {
    await tollgate(['login', '--url', url, '--profile', 'one'], { secret: 'mk-one' });
    await tollgate(['login', '--url', url, '--profile', 'two'], { secret: 'mk-two' });
    seen = [];
  });

  it('are listed and chosen', async () => {
    expect((await tollgate(['profiles'])).stdout).toBe(`  one  ${url}\n* two  ${url}\n`);
    await tollgate(['models']);
    await tollgate(['models', '--profile', 'one']);
    expect(await tollgate(['profiles', 'use', 'one'])).toMatchObject({ status: 0 });
    await tollgate(['models']);
    expect(seen).toEqual(['Bearer mk-two', 'Bearer mk-one', 'Bearer mk-one']);
    for (const args of [
      ['profiles', 'use', 'three'],
      ['models', '--profile', '__proto__'],
    ])
      expect(await tollgate(args)).toMatchObject({ status: 1, stderr: expect.stringContaining('there is no profile') });
  });

  it('give way to the environment and to the running make up', async () => {
    const up = { console: { url, management_key: 'mk-up' } };
    mkdirSync(join(folder.path, '.tollgate'));
    writeFileSync(join(folder.path, '.tollgate', 'up.json'), JSON.stringify(up));
    mkdirSync(join(folder.path, 'deep'));
    await tollgate(['models'], { cwd: join(folder.path, 'deep') });
    await tollgate(['models'], { env: { TOLLGATE_DATA: join(folder.path, '.tollgate') } });
    const env = { TOLLGATE_URL: url, TOLLGATE_MANAGEMENT_KEY: 'mk-env' };
    await tollgate(['models'], { cwd: folder.path, env });
    await tollgate(['models', '--profile', 'one'], { cwd: folder.path, env });
    expect(seen).toEqual(['Bearer mk-up', 'Bearer mk-up', 'Bearer mk-env', 'Bearer mk-one']);
    expect(await tollgate(['models'], { env: { TOLLGATE_URL: url } })).toMatchObject({ status: 1 });
  });

  it.each([0o640, 0o604])('are not read from a file of mode %o', async (mode) => {
    chmodSync(file, mode);
    expect(await tollgate(['models'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`chmod 600 ${file}`),
    });
    expect(seen).toEqual([]);
  });

  it('are not guessed from a damaged file', async () => {
    writeFileSync(file, '{"current"');
    expect(await tollgate(['models'])).toMatchObject({ status: 1, stderr: expect.stringContaining('remove it') });
  });
});
