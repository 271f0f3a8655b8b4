import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make servers-test`: model servers of other projects as upstreams. */
export default defineConfig(
  suiteConfig({
    name: 'servers',
    include: ['test/servers/**/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts', 'test/servers/support/prepare.ts'],
    maxWorkers: 1,
  }),
);
