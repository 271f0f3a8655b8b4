import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const CI_RUN = join(import.meta.dirname, '../../.ci/run');

/** A checkout with only `.ci/run` and a Makefile, whose targets pass or fail in order. */
let checkout: string;

beforeEach(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'tollgate-ci-'));
  await mkdir(join(checkout, '.ci'));
  await copyFile(CI_RUN, join(checkout, '.ci/run'));
});
afterEach(() => rm(checkout, { recursive: true }));

/** Without the variables of an outer make, which the inner ones would inherit. */
const { FILES: _files, MAKEFLAGS: _flags, ...ENV } = process.env;

/** Runs `.ci/run` with a `make test` of these recipes: for all files, and for one alone. */
async function runCi(recipes: { all: string; alone: string }): Promise<{ exitCode: number; output: string }> {
  const makefile = `test:\n\t@if [ -n "$(FILES)" ]; then ${recipes.alone}; else ${recipes.all}; fi\n`;
  await writeFile(join(checkout, 'Makefile'), makefile);
  return new Promise((resolve) => {
    execFile('bash', [join(checkout, '.ci/run')], { env: ENV }, (error, stdout) => {
      resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, output: stdout });
    });
  });
}

const failing = (...lines: string[]) =>
  `${lines.map((line) => `echo '${line}' >>"$$FAILED_FILES"`).join('; ')}; echo '9 passed, 1 failed'; false`;
const PASSES = `echo '1 passed, 0 failed'`;
const FAILS = `echo '0 passed, 1 failed'; false`;

it('passes without a second run if everything passes', async () => {
  const { exitCode, output } = await runCi({ all: PASSES, alone: FAILS });
  expect(exitCode).toBe(0);
  expect(output).not.toContain('again');
});

it('repeats a failed file alone, and passes with a flaky file if that passes', async () => {
  const { exitCode, output } = await runCi({ all: failing('timing test/a.test.ts'), alone: PASSES });
  expect(exitCode).toBe(0);
  expect(output).toContain('FLAKY: test/a.test.ts failed in make test and passed alone.');
});

it('fails if the file fails again', async () => {
  expect((await runCi({ all: failing('timing test/a.test.ts'), alone: FAILS })).exitCode).toBe(1);
});

it.each([
  ['a failure that names a seed', ['timing test/a.test.ts', 'seeded test/b.test.ts']],
  ['a failure of no file', ['timing test/a.test.ts', 'unknown -']],
  ['more failed files than a slow moment explains', [1, 2, 3, 4, 5, 6].map((n) => `timing test/${n}.test.ts`)],
])('never repeats %s', async (_, lines) => {
  const { exitCode, output } = await runCi({ all: failing(...lines), alone: PASSES });
  expect(exitCode).toBe(1);
  expect(output).not.toContain('again, alone');
});

it('fails without a second run if a target fails before its tests', async () => {
  const { exitCode, output } = await runCi({ all: 'false', alone: PASSES });
  expect(exitCode).toBe(1);
  expect(output).not.toContain('again, alone');
});

it('prints the elapsed and the CPU time of each step, and their totals', async () => {
  const busy = `'${process.execPath}' -e 'while (process.cpuUsage().user < 1e6);'`;
  const { output } = await runCi({ all: `${busy}; ${PASSES}`, alone: FAILS });
  const [step, total] = output.split('\n').flatMap((line) => {
    const found = /^(make test +ok|total) +(\d+) s +(\d+) s CPU/.exec(line);
    return found === null ? [] : [{ elapsed: Number(found[2]), cpu: Number(found[3]) }];
  });
  expect(step?.elapsed).toBeGreaterThanOrEqual(1);
  expect(step?.cpu).toBeGreaterThanOrEqual(1);
  expect(total?.elapsed).toBeGreaterThanOrEqual(step?.elapsed ?? 0);
  expect(total?.cpu).toBe(step?.cpu);
});
