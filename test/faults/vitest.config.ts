import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make crash-test`: kills processes under load. */
export default defineConfig(
  suiteConfig({
    name: 'faults',
    include: ['test/faults/*.test.ts'],
    // Prints the report to the console.
    disableConsoleIntercept: true,
    maxWorkers: 1,
  }),
);
