import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make agents-test`: real coding agents through the gateway to every provider protocol. */
export default defineConfig(
  suiteConfig({
    name: 'agents',
    include: ['test/agents/**/*.test.ts'],
    globalSetup: ['test/support/vitest/global-setup.ts'],
    testTimeout: 200_000,
  }),
);
