import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make ledger-test`: the ledger's model checker, planted bugs that it must notice, and query plans. */
export default defineConfig(
  suiteConfig({
    name: 'ledger',
    include: ['test/ledger/**/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    // Each file uses all cores.
    fileParallelism: false,
    hookTimeout: 600_000,
  }),
);
