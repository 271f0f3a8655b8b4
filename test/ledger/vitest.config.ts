import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** The ledger's model checker, the mutations it must notice, and the plans of its statements: `make ledger-test`. */
export default defineConfig({
  test: {
    name: 'ledger',
    root: `${import.meta.dirname}/../..`,
    include: ['test/ledger/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    // Each file uses all there is.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 600_000,
    teardownTimeout: 30_000,
  },
});
