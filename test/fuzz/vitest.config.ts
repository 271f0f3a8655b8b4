import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** Mutated requests towards a hostile upstream: `make fuzz`. */
export default defineConfig({
  test: {
    name: 'fuzz',
    root: `${import.meta.dirname}/../..`,
    include: ['test/fuzz/*.test.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    // What is printed is the report of the run.
    disableConsoleIntercept: true,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
