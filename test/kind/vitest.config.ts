import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** Tollgate in the cluster of `make kind-up`: `make kind-test`; LONG=1 adds what takes longer than CI has. */
export default defineConfig({
  test: {
    name: 'kind',
    root: `${import.meta.dirname}/../..`,
    include: ['test/kind/*.test.ts', ...(process.env['LONG'] === '1' ? ['test/kind/long/*.test.ts'] : [])],
    globalSetup: ['test/kind/support/global-setup.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    // All share one cluster.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 420_000,
    teardownTimeout: 420_000,
  },
});
