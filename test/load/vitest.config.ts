import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make memory-test`, `make key-flood` and `make limits-flood`. */
export default defineConfig(
  suiteConfig({
    name: 'load',
    include: ['test/load/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    // Prints the report to the console.
    disableConsoleIntercept: true,
    fileParallelism: false,
  }),
);
