import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import '@tollgate/test-support/vitest/context';
import { chooseSeed } from '@tollgate/test-support/random/seed';
import { runChecker } from './run-checker.ts';

const CHECKER = join(import.meta.dirname, 'checker/main.ts');

/** Duration of each kind of histories; they run concurrently. */
const SECONDS = process.env['LONG'] === '1' ? 900 : 40;
/** In CI a fixed number, the same ones every time. */
const CI_HISTORIES = { calls: 120, system: 80, hazards: 40 };
const LIMIT_SECONDS = SECONDS + 600;

const isRepeatable = process.env['CI'] === 'true' && process.env['LONG'] !== '1';
const seed = String(chooseSeed(process.env, Date.now()));

it.concurrent.each(['calls', 'system', 'hazards'] as const)(
  `keeps every invariant in random histories of %s, from seed ${seed}`,
  async (kind) => {
    const settings = {
      DATABASE_URL: inject('servers').databaseUrl,
      HISTORIES: kind,
      SEED: seed,
      ...(isRepeatable ? { MAX_HISTORIES: `${CI_HISTORIES[kind]}` } : { SECONDS: `${SECONDS}` }),
    };
    if (process.env['HISTORIES'] !== undefined && process.env['HISTORIES'] !== kind) return;
    const { exitCode, output } = await runChecker(CHECKER, settings, LIMIT_SECONDS * 1_000);
    process.stdout.write(output);
    expect(exitCode, output).toBe(0);
  },
  (LIMIT_SECONDS + 20) * 1_000,
);
