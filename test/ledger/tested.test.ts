import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import { type CopiedTree, copyTree } from '@tollgate/test-support/mutations/copied-tree';
import { Sources } from '@tollgate/test-support/mutations/plant';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import '@tollgate/test-support/vitest/context';
import { TESTED_MUTATIONS } from './mutations/list.ts';
import type { TestedMutation } from './mutations/mutation.ts';

const run = promisify(execFile);
const LIMIT_MS = 900_000;
/** What the tests run. */
const WORKSPACES = [
  'deploy/local',
  'proto',
  'services/common',
  'services/ingress',
  'services/ledger',
  'services/payments',
  'services/protocols',
  'services/stripe-simulator',
  'test/support',
];
const TESTS = [...new Set(TESTED_MUTATIONS.map(({ test }) => test))];

/** All faults in one process, whose workers keep the packages and workspaces that no fault changes. Seeds are fixed. */
const CONFIG = `export default { test: {
  provide: { servers: JSON.parse(process.env.SERVERS) }, testTimeout: 30_000, hookTimeout: 30_000,
  setupFiles: ['stop-at-failure.js', 'test/support/vitest/seeded-properties.ts'],
  isolate: false, maxWorkers: 2, reporters: ['json'], outputFile: 'report.json',
} };`;
/** As \`bail: 1\`, for each file. */
const STOP_AT_FAILURE = `import { beforeEach } from 'vitest';
const failed = new Set();
beforeEach(({ task, skip, onTestFailed }) => {
  onTestFailed(() => void failed.add(task.file.filepath));
  skip(failed.has(task.file.filepath));
});`;

interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

let tree: CopiedTree;
beforeAll(() => {
  tree = copyTree(WORKSPACES);
  writeFileSync(join(tree.root, 'vitest.config.js'), CONFIG);
  writeFileSync(join(tree.root, 'stop-at-failure.js'), STOP_AT_FAILURE);
});
afterAll(() => tree.remove());

/** Copies the workspace of tests beside the others, with a fault. @returns the files of the tests */
function copied(folder: string, tests: readonly string[], fault?: TestedMutation): string[] {
  const root = join(tree.root, 'faults', folder);
  const packages = join(root, 'node_modules', '@tollgate');
  mkdirSync(packages, { recursive: true });
  const changed = [...tests, ...(fault?.edits ?? []).map((edit) => edit.folder)];
  for (const workspace of new Set(changed.map((path) => path.split('/').slice(0, 2).join('/')))) {
    cpSync(join(tree.root, workspace), join(root, workspace), { recursive: true });
    // A test also notices a fault of another package, which it imports by name.
    symlinkSync(join(root, workspace), join(packages, basename(workspace)));
  }
  for (const test of tests) cpSync(join(CHECKOUT, test), join(root, test));
  if (fault !== undefined) {
    const sources = new Sources(root);
    sources.plant(fault);
    for (const [file, text] of sources.planted) writeFileSync(join(root, file), text);
  }
  return tests.map((test) => join(root, test));
}

/** Why tests failed, or their file could not be run. */
function failuresOf(result: Report['testResults'][number] | undefined): string[] | undefined {
  if (result === undefined) return undefined;
  const failed = result.assertionResults.filter(({ status }) => status === 'failed');
  const messages = failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n')}`);
  return result.status === 'passed' ? [] : [`${result.name}: ${result.message}`, ...messages];
}

/** What the tests of all copies come to, by file. */
async function report(): Promise<Map<string, Report['testResults'][number]>> {
  const vitest = join(CHECKOUT, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, CI: 'true', NO_COLOR: '1', SERVERS: JSON.stringify(inject('servers')) };
  const options = { cwd: tree.root, env, timeout: LIMIT_MS };
  // Its status says that tests have failed, as they must.
  await run(process.execPath, [vitest, 'run', '--root', tree.root], options).catch(() => undefined);
  const { testResults }: Report = JSON.parse(readFileSync(join(tree.root, 'report.json'), 'utf8'));
  return new Map(testResults.map((result) => [result.name, result]));
}

it(
  'tests pass without a fault, and notice every fault',
  async () => {
    const sound = copied('none', TESTS);
    const faulty = TESTED_MUTATIONS.map((fault, index) => ({
      name: fault.name,
      files: copied(`${index}`, [fault.test], fault),
    }));
    const results = await report();
    const broken = sound.flatMap((file) => failuresOf(results.get(file)) ?? [`${file} has no result`]);
    expect(broken).toEqual([]);
    // A test has failed, not the import of the code.
    const isNoticed = (file: string) => results.get(file)?.assertionResults.some(({ status }) => status === 'failed');
    const unnoticed = faulty.filter(({ files }) => !files.every(isNoticed));
    expect(unnoticed.map(({ name, files }) => [name, ...files.map((file) => results.get(file)?.message)])).toEqual([]);
  },
  LIMIT_MS,
);
