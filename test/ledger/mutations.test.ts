import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import '@tollgate/test-support/vitest/context';
import { join } from 'node:path';
import { type CopiedTree, copyTree } from '@tollgate/test-support/mutations/copied-tree';
import { ALL_MUTATIONS } from './mutations/list.ts';
import { BROKEN, runChecker } from './run-checker.ts';

/** Maximum histories until a mutation is noticed; from its seed a few suffice. */
const MAX_HISTORIES = 400;
/** Generous for slow machines: from its seed a mutation takes seconds. */
const LIMIT_MS = 600_000;

/** The checker and what it runs. */
const WORKSPACES = [
  'proto',
  'services/common',
  'services/ingress',
  'services/ledger',
  'services/protocols',
  'test/support',
];
const CHECKER = 'test/ledger/checker';
const LANES = 2;

const free: CopiedTree[] = [];
const waiting: ((tree: CopiedTree) => void)[] = [];

beforeAll(() => {
  for (let lane = 0; lane < LANES; lane += 1) free.push(copyTree(WORKSPACES, [CHECKER]));
});
afterAll(() => {
  for (const tree of free) tree.remove();
});

function take(): Promise<CopiedTree> {
  const tree = free.pop();
  return tree === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(tree);
}

function giveBack(tree: CopiedTree): void {
  const next = waiting.shift();
  if (next === undefined) free.push(tree);
  else next(tree);
}

it.concurrent.each(ALL_MUTATIONS)(
  'notices that $name',
  async (mutation) => {
    const tree = await take();
    const restore = tree.plant(mutation);
    try {
      const { exitCode, output } = await runChecker(
        join(tree.root, CHECKER, 'main.ts'),
        {
          DATABASE_URL: inject('servers').databaseUrl,
          HISTORIES: mutation.histories,
          SEED: `${mutation.seed}`,
          MAX_HISTORIES: `${MAX_HISTORIES}`,
          SHRINK: 'no',
        },
        LIMIT_MS,
      );
      // The checker must have run to its end.
      expect(output).toContain(' histories of ');
      expect(output, `SEED=${mutation.seed}`).toMatch(/^Violation: /m);
      expect(exitCode, `SEED=${mutation.seed}`).toBe(BROKEN);
    } finally {
      restore();
      giveBack(tree);
    }
  },
  LIMIT_MS * 4,
);
