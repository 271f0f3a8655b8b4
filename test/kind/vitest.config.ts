import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ClosingLine } from '../support/closing-line.ts';
import { FailedFiles } from '../support/failed-files.ts';

/**
 * Runs files by their names. They share a release, and pods of the release before take minutes to stop: only the first file
 * finds an empty cluster.
 */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId, 'en'));
  }
}

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
    sequence: { sequencer: ByName },
    testTimeout: 300_000,
    hookTimeout: 420_000,
    teardownTimeout: 420_000,
  },
});
