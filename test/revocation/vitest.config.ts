import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make revocation-test`: keys deleted, changed and suspended under load, and planted bugs. */
export default defineConfig(
  suiteConfig({
    name: 'revocation',
    include: ['test/revocation/*.test.ts'],
    // The report is printed to the console.
    disableConsoleIntercept: true,
    // Each file uses the entire machine.
    fileParallelism: false,
  }),
);
