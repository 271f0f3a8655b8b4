import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';

const PROGRAMS = [
  'services/auth/src/main.ts',
  'services/auth/src/tasks/migrate.ts',
  'services/auth/src/tasks/reset-link.ts',
  'services/auth/src/tasks/secrets.ts',
  'services/console/src/main.ts',
  'services/console/src/tasks/migrate.ts',
  'services/ingress/src/main.ts',
  'services/ledger/src/tasks/archive.ts',
  'services/ledger/src/main.ts',
  'services/ledger/src/tasks/migrate.ts',
  'services/ledger/src/tasks/raise-epoch.ts',
  'services/ledger/src/tasks/reconcile.ts',
  'services/ledger/src/tasks/repost.ts',
  'services/router/src/main.ts',
  'services/simulator/src/main.ts',
  'deploy/local/src/redis-stand-in/main.ts',
];

interface Start {
  code: number | null;
  output: string;
}

/** Starts a program with a log level and no valid settings. */
function start(program: string, level: string): Promise<Start> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, LOG_LEVEL: level, SHUTDOWN_GRACE_MS: 'soon' };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program], { env, timeout: 60_000 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

/** The messages of the fatal lines; fails on anything that is not a line of the log. */
function fatalMessages(output: string): string[] {
  const lines = output.trimEnd().split('\n');
  return lines.map((line) => {
    const { level, msg, err } = JSON.parse(line);
    expect(level).toBe('fatal');
    return `${msg}: ${err.message}`;
  });
}

test.each(PROGRAMS)('%s reports a misspelt LOG_LEVEL like any other bad setting', async (program) => {
  const { code, output } = await start(program, 'verbose');
  expect(code).toBe(1);
  const [message, ...more] = fatalMessages(output);
  expect(more).toEqual([]);
  expect(message).toMatch(/^start failed: Configuration is not usable:\n/);
  expect(message).toMatch(/^ {2}LOG_LEVEL: /m);
});

test.each(PROGRAMS)('%s takes an empty LOG_LEVEL as unset', async (program) => {
  const { code, output } = await start(program, '');
  expect(code).toBe(1);
  const [message, ...more] = fatalMessages(output);
  expect(more).toEqual([]);
  expect(message).toMatch(/^start failed: Configuration is not usable:\n/);
  expect(message).not.toMatch(/LOG_LEVEL/);
});
