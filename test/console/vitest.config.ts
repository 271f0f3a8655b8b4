import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make console-test`: the console in a real browser. */
export default defineConfig(
  suiteConfig({
    name: 'console',
    include: [process.env['LONG'] === '1' ? 'test/console/long/*.test.ts' : 'test/console/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    // One browser and one stack at a time: a small machine has two cores.
    maxWorkers: 1,
    expect: { poll: { timeout: 30_000 } },
  }),
);
