import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import '../support/context.ts';
import { chooseSeed } from '../support/seed.ts';
import { runChecker } from './run-checker.ts';

const CHECKER = join(import.meta.dirname, 'checker/main.ts');

/** The two kinds of histories run at the same time, each for so long. */
const SECONDS = process.env['LONG'] === '1' ? 900 : 40;

const seed = String(chooseSeed(process.env, Date.now()));

it.concurrent.each(['calls', 'system'])(
  `keeps every promise through random histories of %s, from seed ${seed}`,
  async (kind) => {
    const settings = {
      DATABASE_URL: inject('servers').databaseUrl,
      HISTORIES: kind,
      SEED: seed,
      SECONDS: `${SECONDS}`,
    };
    if (process.env['HISTORIES'] !== undefined && process.env['HISTORIES'] !== kind) return;
    const { exitCode, output } = await runChecker(CHECKER, settings, (SECONDS + 600) * 1_000);
    process.stdout.write(output);
    expect(exitCode, output).toBe(0);
  },
  (SECONDS + 620) * 1_000,
);
