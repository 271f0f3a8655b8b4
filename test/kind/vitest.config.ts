import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make kind-test`: Tollgate in the cluster of `make kind-up`. LONG=1 adds what takes too long for CI. */
export default defineConfig(
  suiteConfig({
    name: 'kind',
    include: ['test/kind/*.test.ts', ...(process.env['LONG'] === '1' ? ['test/kind/long/*.test.ts'] : [])],
    globalSetup: ['test/kind/support/global-setup.ts'],
    // All files share one cluster.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 420_000,
    teardownTimeout: 420_000,
  }),
);
