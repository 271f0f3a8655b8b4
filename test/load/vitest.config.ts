import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** Floods: of bytes, `make memory-test`, of made-up keys beside good ones, `make key-flood`, and beyond limits, `make limits-flood`. */
export default defineConfig({
  test: {
    name: 'load',
    root: `${import.meta.dirname}/../..`,
    include: ['test/load/*.test.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    globalSetup: ['test/support/global-setup.ts'],
    // What is printed is the report of the run.
    disableConsoleIntercept: true,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
