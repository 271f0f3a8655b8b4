import { grpcServerSettings, loadConfig, milliseconds, postgresSettings } from '@tollgate/common/config';
import { parseDollars } from '@tollgate/common/money';
import { z } from 'zod';
import { MAX_THRESHOLDS } from './events/thresholds.ts';
import type { WebhookTarget } from './events/webhook.ts';

const DAY_MS = 86_400_000;

/** Comma-separated amounts of dollars, as nano-dollars. */
const dollars = z.string().transform((text, context) => {
  const amounts = text.split(',');
  const known = amounts.flatMap((each) => {
    const amount = parseDollars(each);
    return amount !== undefined && amount >= 0n ? [amount] : [];
  });
  if (known.length < amounts.length || known.length > MAX_THRESHOLDS) {
    context.addIssue({ code: 'custom', message: `must be at most ${MAX_THRESHOLDS} amounts such as 10,2.50` });
    return z.NEVER;
  }
  return [...new Set(known)];
});

const SECRET_PREFIX = 'whsec_';

/** Comma-separated secrets of Standard Webhooks: 24 to 64 bytes in base64 after a prefix. */
const webhookSecrets = z.string().transform((text, context) => {
  const secrets = text.split(',').map((each) => {
    const encoded = each.trim();
    const bytes = Buffer.from(encoded.slice(SECRET_PREFIX.length), 'base64');
    return encoded === SECRET_PREFIX + bytes.toString('base64') ? bytes : Buffer.alloc(0);
  });
  if (secrets.some((secret) => secret.length < 24 || secret.length > 64)) {
    context.addIssue({ code: 'custom', message: `must be ${SECRET_PREFIX} and 24 to 64 bytes in base64` });
    return z.NEVER;
  }
  return secrets;
});

/** The receiver of events. A user and password in the URL would not be sent. */
const webhookUrl = z.string().refine(
  (text) => {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  },
  { error: 'must be an http:// or https:// URL without user and password' },
);

const settings = z.object({
  ...grpcServerSettings,
  ...postgresSettings,
  /** An ingress makes no new hold this long after it sent its last confirmed heartbeat. */
  SESSION_TTL_MS: milliseconds.min(1_000).default(15_000),
  /** How often an ingress sends a heartbeat, and how often the ledger checks for dead sessions. */
  HEARTBEAT_INTERVAL_MS: milliseconds.min(100).default(3_000),
  /** Maximum duration of a request. A dead session's credit is kept at least this long. */
  MAX_REQUEST_MS: milliseconds.default(3_600_000),
  /** Additional time for which a dead session's credit is kept, so that its journal can be replayed. */
  REPLAY_MARGIN_MS: milliseconds.default(600_000),
  /**
   * How long idle credit of other sessions is recalled before an acquire is refused; 0 refuses at once. Ingresses wait 2
   * seconds for the response.
   */
  RECALL_WAIT_MS: milliseconds.max(1_000).default(300),
  /** Maximum concurrent settlement transactions. */
  SETTLE_LANES: z.coerce.number().int().min(1).max(16).default(2),
  /** Maximum charges in one settlement transaction; batches that arrive together share one. */
  SETTLE_MAX_ROWS: z.coerce.number().int().min(1_000).max(20_000).default(8_000),
  /** Target duration of a settlement transaction: under load it contains as many charges as that allows. */
  SETTLE_TARGET_MS: milliseconds.min(10).max(5_000).default(1_000),
  /** Charges whose request is older are quarantined. */
  CHARGE_MAX_AGE_MS: z.coerce
    .number()
    .int()
    .min(DAY_MS)
    .max(90 * DAY_MS)
    .default(31 * DAY_MS),
  /** How often the ledger is reconciled, by one replica at a time; 0 disables it. */
  RECONCILE_INTERVAL_MS: milliseconds.default(300_000),
  /** Maximum duration of one reconciliation; the next one continues. */
  RECONCILE_BUDGET_MS: milliseconds.min(100).default(30_000),
  /** Low-balance thresholds of accounts without their own: comma-separated dollars. */
  LOW_BALANCE_THRESHOLDS: dollars.default([]),
  /** Receives events; if unset, they are logged. */
  WEBHOOK_URL: webhookUrl.optional(),
  /** Signs events, newest secret first. */
  WEBHOOK_SECRET: webhookSecrets.optional(),
  /** Maximum time until the receiver's response. */
  WEBHOOK_TIMEOUT_MS: milliseconds.min(100).max(60_000).default(15_000),
});

/** Settings of the ledger, by the names of their environment variables. */
export const configSchema = settings.refine((config) => config.WEBHOOK_URL === undefined || config.WEBHOOK_SECRET, {
  path: ['WEBHOOK_SECRET'],
  error: 'is required with WEBHOOK_URL',
});

export type Config = z.output<typeof configSchema>;

/** Reads the settings of the ledger; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  return loadConfig(configSchema, env);
}

/** How long after its last heartbeat a dead session's credit is kept. */
export function keepDeadSessionMs(
  config: Pick<Config, 'SESSION_TTL_MS' | 'MAX_REQUEST_MS' | 'REPLAY_MARGIN_MS'>,
): number {
  return config.SESSION_TTL_MS + config.MAX_REQUEST_MS + config.REPLAY_MARGIN_MS;
}

/** The receiver of events; undefined if there is none. */
export function webhookTarget(
  config: Pick<Config, 'WEBHOOK_URL' | 'WEBHOOK_SECRET' | 'WEBHOOK_TIMEOUT_MS'>,
): WebhookTarget | undefined {
  if (config.WEBHOOK_URL === undefined) return undefined;
  return { url: config.WEBHOOK_URL, secrets: config.WEBHOOK_SECRET ?? [], timeoutMs: config.WEBHOOK_TIMEOUT_MS };
}
