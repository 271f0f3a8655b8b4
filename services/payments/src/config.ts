import {
  actorSettings,
  addressSettings,
  flag,
  grpcServerSettings,
  lingerSettings,
  loadConfig,
  origin,
  port,
  postgresSettings,
} from '@tollgate/common/config';
import { parseDollars } from '@tollgate/common/money';
import { PaymentMode } from '@tollgate/proto/payments';
import { z } from 'zod';
import { centsOf } from './money.ts';

/** The most that one payment can be: what card networks take. */
const MAX_PAYMENT_NANOS = 999_999n * 1_000_000_000n;
const MAX_OFFERED = 10;

/** Whole cents of dollars, as nano-dollars; undefined for anything else. */
function parseCents(text: string): bigint | undefined {
  const nanos = parseDollars(text);
  const isValid = nanos !== undefined && nanos > 0n && nanos <= MAX_PAYMENT_NANOS && centsOf(nanos) !== undefined;
  return isValid ? nanos : undefined;
}

const dollars = z.string().transform((text, context) => {
  const nanos = parseCents(text);
  if (nanos !== undefined) return nanos;
  context.addIssue({ code: 'custom', message: 'must be dollars in whole cents, such as 12.50' });
  return z.NEVER;
});

/** Comma-separated dollars, as nano-dollars, smallest first. */
const amounts = z.string().transform((text, context) => {
  const parsed = text.split(',').map(parseCents);
  const known = [...new Set(parsed.flatMap((nanos) => nanos ?? []))];
  if (known.length === parsed.length && known.length <= MAX_OFFERED) return known.sort((a, b) => (a < b ? -1 : 1));
  context.addIssue({ code: 'custom', message: `must be at most ${MAX_OFFERED} different amounts such as 20,50,100` });
  return z.NEVER;
});

const SECRET = /^whsec_[\x21-\x2b\x2d-\x7e]{8,250}$/;

const webhookSecrets = z.string().transform((text, context) => {
  const secrets = text.split(',').map((secret) => secret.trim());
  if (secrets.every((secret) => SECRET.test(secret)) && secrets.length <= 5) return secrets;
  context.addIssue({ code: 'custom', message: 'must be at most 5 secrets, each starting with whsec_' });
  return z.NEVER;
});

/** Settings of payments, by the names of their environment variables. */
export const settings = z.object({
  ...grpcServerSettings,
  ...postgresSettings,
  ...actorSettings,
  ...lingerSettings,
  /** Payments asks auth for the present role of whoever changes something. */
  AUTH_ADDRESS: addressSettings.AUTH_ADDRESS,
  LEDGER_ADDRESS: addressSettings.LEDGER_ADDRESS,
  CONSOLE_URL: origin.describe('URL of the console, to which people return from the pages of Stripe.'),
  PORT: port.default(8060).describe('HTTP port of webhooks, at `/webhooks/stripe`; 0 lets the system choose.'),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_(test|live)_[\x21-\x7e]{1,250}$/, 'must be a secret or restricted key of Stripe')
    .describe('Secret or [restricted](operations/payments.md#the-key) key of Stripe. Keys of test mode move no money.'),
  STRIPE_WEBHOOK_SECRET: webhookSecrets.describe(
    'Comma-separated signing secrets of the [webhook endpoint](operations/payments.md#the-webhook-endpoint), newest first.',
  ),
  STRIPE_API_URL: origin.optional().describe('URL of a stand-in for Stripe, which moves no money; when unset, Stripe.'),
  STRIPE_TAX: flag
    .prefault('false')
    .describe('Stripe Tax adds taxes to what is paid, and an invoice is made. Credit is bought without taxes.'),
  PAYMENT_AMOUNTS: amounts.prefault('20,50,100,500').describe('Comma-separated dollars that are offered.'),
  PAYMENT_MIN: dollars.prefault('5').describe('Minimum of one payment, in dollars.'),
  PAYMENT_MAX: dollars.prefault('5000').describe('Maximum of one payment, in dollars.'),
  PAYMENT_DAILY_LIMIT: dollars
    .prefault('500')
    .describe(
      'Dollars that an account may pay in within 24 hours. What it paid more than a week ago and did not get back is added.',
    ),
});

/** The settings, checked against each other. */
export const configSchema = settings
  .refine((config) => config.PAYMENT_MIN <= config.PAYMENT_MAX, {
    path: ['PAYMENT_MAX'],
    error: 'must not be less than PAYMENT_MIN',
  })
  .refine(
    ({ PAYMENT_AMOUNTS: offered, PAYMENT_MIN, PAYMENT_MAX }) =>
      offered.every((amount) => amount >= PAYMENT_MIN && amount <= PAYMENT_MAX),
    { path: ['PAYMENT_AMOUNTS'], error: 'must be within PAYMENT_MIN and PAYMENT_MAX' },
  );

export type PaymentsConfig = z.output<typeof configSchema>;

/** Reads the settings of payments; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): PaymentsConfig {
  return loadConfig(configSchema, env);
}

/** Whether money moves. */
export function modeOf(config: Pick<PaymentsConfig, 'STRIPE_API_URL' | 'STRIPE_SECRET_KEY'>): PaymentMode {
  if (config.STRIPE_API_URL !== undefined) return PaymentMode.SIMULATED;
  return /^.k_test_/.test(config.STRIPE_SECRET_KEY) ? PaymentMode.TEST : PaymentMode.LIVE;
}
