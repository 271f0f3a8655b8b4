import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make sdk-test`: the official SDKs against a running gateway. */
export default defineConfig(
  suiteConfig({
    name: 'sdk',
    include: ['test/sdk/**/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts', 'test/sdk/support/prepare.ts'],
    maxWorkers: 2,
  }),
);
