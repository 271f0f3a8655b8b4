import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs files in the order of their names. They share a release, and pods of the previous release take minutes to stop: only
 * the first file finds an empty cluster.
 */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => a.moduleId.localeCompare(b.moduleId, 'en'));
  }
}

/** `make kind-test`: Tollgate in the cluster of `make kind-up`. LONG=1 adds slow tests. */
export default defineConfig(
  suiteConfig({
    name: 'kind',
    include: ['test/kind/*.test.ts', ...(process.env['LONG'] === '1' ? ['test/kind/long/*.test.ts'] : [])],
    globalSetup: ['test/kind/support/global-setup.ts'],
    // All files share one cluster.
    fileParallelism: false,
    sequence: { sequencer: ByName },
    testTimeout: 300_000,
    hookTimeout: 420_000,
    teardownTimeout: 420_000,
  }),
);
