import { fileURLToPath } from 'node:url';
import { ClosingLine } from '@tollgate/test-support/vitest/closing-line';
import { FailedFiles } from '@tollgate/test-support/vitest/failed-files';
import { LongestFirst } from '@tollgate/test-support/vitest/longest-first';
import { Shuffled } from '@tollgate/test-support/vitest/shuffled';
import { defineConfig } from 'vitest/config';

// As in the Makefile, for test processes and tested processes.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('.cache/compile', import.meta.url));

export default defineConfig({
  test: {
    reporters: ['default', new ClosingLine(), new FailedFiles()],
    // More than the two cores of a small machine, because many integration tests wait for processes and timeouts.
    maxWorkers: 3,
    // A worker keeps its modules, and what they share, between files: see withGateway.
    isolate: false,
    sequence: { sequencer: process.env['SHUFFLE'] === undefined ? LongestFirst : Shuffled },
    teardownTimeout: 30_000,
    // Conditions have the same time limit on busy and idle machines.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['test/support/vitest/seeded-properties.ts'],
          testTimeout: 60_000,
          include: ['{proto,services,deploy,docs,test,bench}/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            '**/*.db.test.ts',
            'test/agents/**',
            'test/console/**',
            'test/integration/**',
            'test/sdk/**',
            'test/servers/**',
            'test/stripe-shapes/**',
            'test/faults/*.test.ts',
            'test/fuzz/*.test.ts',
            'test/kind/**',
            'test/ledger/*.test.ts',
            'test/load/*.test.ts',
            'test/protocols/**',
            'test/revocation/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{services,deploy,test,bench}/**/*.db.test.ts', 'test/integration/**/*.test.ts'],
          setupFiles: ['test/support/vitest/seeded-properties.ts'],
          globalSetup: ['test/support/vitest/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
