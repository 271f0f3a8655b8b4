import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

const isLong = process.env['LONG'] === '1';

/** `make console-test`: the console in a real browser. */
export default defineConfig(
  suiteConfig({
    name: 'console',
    include: [isLong ? 'test/console/long/*.test.ts' : 'test/console/*.test.ts'],
    // The long mode fills a database of its own.
    globalSetup: ['test/support/vitest/global-setup.ts', ...(isLong ? [] : ['test/console/support/shared-stack.ts'])],
    // One browser at a time: a small machine has two cores.
    maxWorkers: 1,
    expect: { poll: { timeout: 30_000 } },
  }),
);
