import { defineConfig } from 'vitest/config';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/** The official SDKs as clients of a running gateway: `make sdk-test`. */
export default defineConfig({
  test: {
    name: 'sdk',
    root: `${import.meta.dirname}/../..`,
    include: ['test/sdk/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts', 'test/sdk/support/prepare-python.ts'],
    reporters: [['default', { summary: false }], new ClosingLine(), new FailedFiles()],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
