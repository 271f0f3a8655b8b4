import { expect, it } from 'vitest';
import { inheritedEnv } from './services.ts';

const ENV = {
  LOG_LEVEL: 'warn',
  OPENAI_API_KEY: 'sk-of-the-provider',
  MAIL_TOKEN: 'token',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
  STRIPE_TAX: 'true',
  DATABASE_URL: 'postgres://shared',
};
const namesFor = (service: string) => Object.keys(inheritedEnv(ENV, service)).sort();

it('gives credentials of providers to ingresses, settings of Stripe to payments, and neither to the others', () => {
  expect(namesFor('ingress-2')).toEqual(['LOG_LEVEL', 'MAIL_TOKEN', 'OPENAI_API_KEY', 'SHUTDOWN_GRACE_MS']);
  expect(namesFor('payments')).toEqual([
    'LOG_LEVEL',
    'SHUTDOWN_GRACE_MS',
    'STRIPE_SECRET_KEY',
    'STRIPE_TAX',
    'STRIPE_WEBHOOK_SECRET',
  ]);
  for (const service of ['auth', 'ledger', 'router', 'console', 'simulator', 'stripe-simulator', 'redis'])
    expect([service, namesFor(service)]).toEqual([service, ['LOG_LEVEL', 'SHUTDOWN_GRACE_MS']]);
});
