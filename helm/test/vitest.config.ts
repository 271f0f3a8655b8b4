import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../../test/support/closing-line.ts';
import { FailedFiles } from '../../test/support/failed-files.ts';

/** The Helm chart, as helm renders it: `make chart-test`. */
export default defineConfig({
  test: {
    name: 'chart',
    root: `${import.meta.dirname}/../..`,
    include: ['helm/test/*.test.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    maxWorkers: 2,
    // Each rendering is a process of its own.
    testTimeout: 120_000,
  },
});
