import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make fuzz`: mutated requests against a hostile upstream. */
export default defineConfig(
  suiteConfig({
    name: 'fuzz',
    include: ['test/fuzz/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    // Prints the report to the console.
    disableConsoleIntercept: true,
    fileParallelism: false,
  }),
);
