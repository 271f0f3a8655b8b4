import { execFile } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHECKOUT } from '@tollgate/local';
import { type CopiedTree, copyTree } from '@tollgate/test-support/mutations/copied-tree';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import '@tollgate/test-support/vitest/context';
import { TESTED_MUTATIONS } from './mutations/list.ts';

const run = promisify(execFile);
const LIMIT_MS = 120_000;
/** What the tests run. */
const WORKSPACES = [
  'deploy/local',
  'proto',
  'services/common',
  'services/ledger',
  'services/payments',
  'services/stripe-simulator',
  'test/support',
];
const TESTS = [...new Set(TESTED_MUTATIONS.map(({ test }) => test))];
/** In place of the configuration of the checkout, which starts servers for each run. */
const CONFIG = `export default { test: {
  provide: { servers: JSON.parse(process.env.SERVERS) }, testTimeout: 30_000, bail: 1, reporters: ['dot'],
} };`;

/** Two run at once: each with half of the faults. */
const trees: CopiedTree[] = [];
/** Half of a run's time would be the compiling of vitest and of packages, which no fault changes. */
const compiled = makeTemporaryFolder();

beforeAll(() => {
  for (let lane = 0; lane < 2; lane += 1) {
    const tree = copyTree(WORKSPACES);
    writeFileSync(join(tree.root, 'vitest.config.js'), CONFIG);
    for (const test of TESTS) cpSync(join(CHECKOUT, test), join(tree.root, test));
    trees.push(tree);
  }
});
afterAll(() => {
  for (const tree of trees) tree.remove();
  compiled.remove();
});

/** @returns whether the tests pass, and what they print */
async function outcomeOf({ root }: CopiedTree, tests: readonly string[]): Promise<{ passes: boolean; output: string }> {
  const vitest = join(CHECKOUT, 'node_modules/vitest/vitest.mjs');
  const env = {
    ...process.env,
    CI: 'true',
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: compiled.path,
    SERVERS: JSON.stringify(inject('servers')),
  };
  try {
    const { stdout } = await run(process.execPath, [vitest, 'run', '--root', root, ...tests], {
      cwd: root,
      env,
      timeout: LIMIT_MS,
    });
    return { passes: true, output: stdout };
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { passes: false, output: stdout + stderr };
  }
}

it(
  'the tests pass without a fault',
  async () => {
    const [tree] = trees;
    if (tree === undefined) throw new Error('there is no tree');
    const { passes, output } = await outcomeOf(tree, TESTS);
    expect(passes, output).toBe(true);
  },
  LIMIT_MS,
);

it.concurrent.each([0, 1])(
  'the tests notice every fault of lane %i',
  async (lane) => {
    const tree = trees[lane];
    if (tree === undefined) throw new Error('there is no tree');
    const unnoticed: string[] = [];
    for (const mutation of TESTED_MUTATIONS.filter((_, index) => index % 2 === lane)) {
      const restore = tree.plant(mutation);
      try {
        const { passes, output } = await outcomeOf(tree, [mutation.test]);
        // A test has failed, not the import of the code.
        if (passes || !/Tests +\d+ failed/.test(output)) unnoticed.push(`${mutation.name}: ${output}`);
      } finally {
        restore();
      }
    }
    expect(unnoticed).toEqual([]);
  },
  LIMIT_MS * TESTED_MUTATIONS.length,
);
