import { suiteConfig } from '@tollgate/test-support/vitest/suite-config';
import { defineConfig } from 'vitest/config';

/** `make stripe-shapes-test`: the simulated Stripe against stripe-mock, which Stripe generates from its API's description. */
export default defineConfig(suiteConfig({ name: 'stripe-shapes', include: ['test/stripe-shapes/*.test.ts'] }));
