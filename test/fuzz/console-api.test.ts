import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROLE_NAMES } from '@tollgate/common/actors/roles';
import { furnishAccount } from '@tollgate/console/testing/furnish-account';
import { RunningConsole } from '@tollgate/console/testing/running-console';
import { CHECKOUT } from '@tollgate/local';
import { chooseSeed } from '@tollgate/test-support/random/seed';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { preparePython } from '../sdk/support/python-driver.ts';

const TIMEOUT_MS = 900_000;
const SEED = chooseSeed(process.env, Date.now());
const isLong = process.env['LONG'] === '1';
const EXAMPLES = isLong ? 200 : 4;
/** Who calls by a session, and who with a management key. */
const PEOPLE = isLong ? ROLE_NAMES : (['operator'] as const);
const PROGRAMS = isLong ? ROLE_NAMES : (['owner'] as const);
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** The first ends the session of the other calls; the others need an ingress, and are unavailable without one. */
const LEFT_OUT = ['webSignOut', 'webPlayground', 'webTestProvider', 'testProvider'];
const FOLDER = makeTemporaryFolder();

let python: string;
let running: RunningConsole;
let accountId: string;
let keyId: string;

beforeAll(async () => {
  python = await preparePython(join(CHECKOUT, 'test/fuzz/python/requirements.txt'), 'venv-schemathesis');
  running = await RunningConsole.start();
  accountId = await running.createAccount();
  await furnishAccount(running, accountId);
  keyId = (await running.auth.createKey(accountId)).key.keyId;
}, 120_000);

afterAll(async () => {
  await running?.stop();
  FOLDER.remove();
});

/**
 * Sends generated requests, valid and not, to the documented operations below a prefix, for an account and a key that exist.
 *
 * @returns the report of schemathesis
 */
async function attack(prefix: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const config = join(FOLDER.path, 'schemathesis.toml');
  writeFileSync(config, `[parameters]\n"path.account_id" = "${accountId}"\n"path.key_id" = "${keyId}"\n`);
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', config, 'run', `${running.url}/openapi.json`],
    ...['--include-path-regex', `^${prefix}/`, '--checks', CHECKS.join(',')],
    ...LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]),
    ...['--seed', String(SEED), '--max-examples', String(EXAMPLES), '--generation-database', 'none'],
    ...['--phases', 'examples,coverage,fuzzing', '--warnings', 'off', '--no-color'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
  ];
  const options = { cwd: FOLDER.path, maxBuffer: 16 * 1024 * 1024, timeout: TIMEOUT_MS };
  const { stdout } = await promisify(execFile)(python, args, options).catch((error: { stdout: string }) => error);
  return stdout;
}

/** What schemathesis says of the failures; empty: none. */
function failuresIn(output: string): string {
  if (/^=+ No issues found/m.test(output)) return '';
  return output.slice(output.search(/^=+ (FAILURES|ERRORS|SUMMARY)/m)).slice(0, 8_000) || output || 'no output';
}

it.each(PEOPLE)(
  'an undocumented response is not sent to a person with the role %s',
  async (role) => {
    const { api } = await running.signedIn(role, accountId);
    expect(failuresIn(await attack('/api', { cookie: api.cookie, origin: running.url }))).toBe('');
  },
  TIMEOUT_MS,
);

it.each(PROGRAMS)(
  'an undocumented response is not sent to a program with the role %s',
  async (role) => {
    const { managementKey } = await running.program(role, accountId);
    expect(failuresIn(await attack('/management/v1', { authorization: `Bearer ${managementKey}` }))).toBe('');
  },
  TIMEOUT_MS,
);

it(
  'an undocumented response is not sent to anyone',
  async () => {
    expect(failuresIn(await attack('/(api|management/v1)', { origin: running.url }))).toBe('');
  },
  TIMEOUT_MS,
);
