import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make chart-test`: the Helm chart as helm renders it. */
export default defineConfig(
  suiteConfig({
    name: 'chart',
    include: ['helm/test/*.test.ts'],
    maxWorkers: 2,
  }),
);
