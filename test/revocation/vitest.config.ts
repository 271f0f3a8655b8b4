import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** Keys deleted, changed and suspended under load, and safeguards broken on purpose: `make revocation-test`. */
export default defineConfig({
  test: {
    name: 'revocation',
    root: `${import.meta.dirname}/../..`,
    include: ['test/revocation/*.test.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    // What is printed is the report of the run.
    disableConsoleIntercept: true,
    // Each file uses all there is.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
