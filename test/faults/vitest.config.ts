import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** Real processes killed under load: `make crash-test`. */
export default defineConfig({
  test: {
    name: 'faults',
    root: `${import.meta.dirname}/../..`,
    include: ['test/faults/*.test.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    // What is printed is the report of the run.
    disableConsoleIntercept: true,
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
