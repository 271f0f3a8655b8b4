import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/support/closing-line.ts';
import { FailedFiles } from './test/support/failed-files.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { Shuffled } from './test/support/shuffled.ts';

// As the Makefile does, for the processes that test and that are tested.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('.cache/compile', import.meta.url));

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine(), new FailedFiles()],
    // One more than the two cores of the smallest machine: many integration tests wait for processes and time limits.
    maxWorkers: 3,
    // A worker goes from file to file with the modules it has loaded, and what they share: see withGateway.
    isolate: false,
    sequence: { sequencer: process.env['SHUFFLE'] === undefined ? LongestFirst : Shuffled },
    teardownTimeout: 30_000,
    // Whoever waits for a condition waits as long on a busy machine as on an idle one.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['test/support/seeded-properties.ts'],
          testTimeout: 60_000,
          include: ['{proto,services,deploy,test,bench}/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            '**/*.db.test.ts',
            'test/integration/**',
            'test/sdk/**',
            'test/faults/*.test.ts',
            'test/fuzz/*.test.ts',
            'test/kind/**',
            'test/ledger/*.test.ts',
            'test/load/*.test.ts',
            'test/revocation/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{services,deploy,test,bench}/**/*.db.test.ts', 'test/integration/**/*.test.ts'],
          setupFiles: ['test/support/seeded-properties.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
