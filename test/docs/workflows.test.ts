import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const MAKE_TARGETS = new Set(
  [...readFileSync(join(CHECKOUT, 'Makefile'), 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, target]) => target),
);

const step = z.looseObject({ uses: z.string().optional(), run: z.string().optional() });
const job = z.looseObject({
  'runs-on': z.string(),
  'timeout-minutes': z.union([z.int(), z.string().regex(/^\$\{\{ matrix\.minutes \}\}$/)]),
  strategy: z
    .looseObject({
      matrix: z.looseObject({
        include: z.array(z.looseObject({ target: z.string(), minutes: z.int().max(360) })).optional(),
      }),
    })
    .optional(),
  steps: z.array(step),
});
const workflow = z.looseObject({
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.looseObject({ group: z.string() }),
  jobs: z.record(z.string(), job),
});

describe.each(globSync('.github/workflows/*.yml', { cwd: CHECKOUT }))('%s', (file) => {
  const text = readFileSync(join(CHECKOUT, file), 'utf8');

  it('only reads the repository, and limits the time of each job', () => {
    expect(Object.keys(workflow.parse(parse(text)).jobs).length).toBeGreaterThan(0);
  });

  it('names actions by commit, with their version', () => {
    const uses = text.split('\n').filter((line) => line.includes('uses:'));
    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('runs targets of the Makefile and scripts that exist', () => {
    const jobs = Object.values(workflow.parse(parse(text)).jobs);
    const ofMatrix = jobs.flatMap(({ strategy }) => strategy?.matrix.include?.map(({ target }) => target) ?? []);
    const commands = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    const targets = commands.flatMap((command) => /^make ([a-z-]+)$/.exec(command)?.[1] ?? []);
    expect([...ofMatrix, ...targets].filter((target) => !MAKE_TARGETS.has(target))).toEqual([]);
    const others = commands.filter((command) => !/^make ([a-z-]+|"\$TARGET")$/.test(command));
    expect(others.filter((command) => globSync(command, { cwd: CHECKOUT }).length === 0)).toEqual([]);
  });
});

it.each(globSync('.github/**/*.yml', { cwd: CHECKOUT }))('%s is YAML', (file) => {
  expect(() => parse(readFileSync(join(CHECKOUT, file), 'utf8'), { strict: true })).not.toThrow();
});
