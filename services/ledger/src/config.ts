import {
  actorSettings,
  addressSettings,
  grpcServerSettings,
  loadConfig,
  milliseconds,
  postgresSettings,
  requestSettings,
} from '@tollgate/common/config';
import { parseDollars } from '@tollgate/common/money';
import { z } from 'zod';
import { MAX_THRESHOLDS } from './events/thresholds.ts';
import type { WebhookTarget } from './events/webhook.ts';

const DAY_MS = 86_400_000;

/** Maximum time until the response of a webhook's receiver. */
const WEBHOOK_TIMEOUT_MS = 15_000;

/** Comma-separated amounts of dollars, as nano-dollars; empty for none. */
const dollars = z.string().transform((text, context) => {
  const amounts = text === '' ? [] : text.split(',');
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

/** Settings of the ledger, by the names of their environment variables. */
export const settings = z.object({
  ...grpcServerSettings,
  ...postgresSettings,
  ...actorSettings,
  ...requestSettings,
  /** The ledger asks auth for the present role of whoever changes something. */
  AUTH_ADDRESS: addressSettings.AUTH_ADDRESS,
  SESSION_TTL_MS: milliseconds
    .min(1_000)
    .default(15_000)
    .describe('An ingress makes no hold this long after its last confirmed heartbeat.'),
  REPLAY_MARGIN_MS: milliseconds
    .default(600_000)
    .describe("Additional time that a dead session's credit is kept, so that its journal can be replayed."),
  CHARGE_MAX_AGE_MS: z.coerce
    .number()
    .int()
    .min(DAY_MS)
    .max(90 * DAY_MS)
    .default(31 * DAY_MS)
    .describe('Charges whose request is older are quarantined.'),
  LOW_BALANCE_THRESHOLDS: dollars
    .prefault('')
    .describe(
      'Comma-separated dollars: the [thresholds](operations/money.md#low-balances) of accounts without their own.',
    ),
  WEBHOOK_URL: webhookUrl.optional().describe('Where events are sent; when unset, they are logged.'),
  WEBHOOK_SECRET: webhookSecrets
    .optional()
    .describe('Comma-separated signing secrets, each `whsec_` and base64, newest first. Required with `WEBHOOK_URL`.'),
});

/** The settings, checked against each other. */
export const configSchema = settings.refine((config) => config.WEBHOOK_URL === undefined || config.WEBHOOK_SECRET, {
  path: ['WEBHOOK_SECRET'],
  error: 'is required with WEBHOOK_URL',
});

export type LedgerConfig = z.output<typeof configSchema>;

/** Reads the settings of the ledger; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): LedgerConfig {
  return loadConfig(configSchema, env);
}

/**
 * How often an ingress sends a heartbeat and the ledger checks for dead sessions: several times within SESSION_TTL_MS, so
 * that a lost one changes nothing.
 */
export function heartbeatIntervalMs({ SESSION_TTL_MS }: Pick<LedgerConfig, 'SESSION_TTL_MS'>): number {
  return Math.min(3_000, SESSION_TTL_MS / 5);
}

/** How long after its last heartbeat a dead session's credit is kept. */
export function keepDeadSessionMs(
  config: Pick<LedgerConfig, 'SESSION_TTL_MS' | 'MAX_REQUEST_MS' | 'REPLAY_MARGIN_MS'>,
): number {
  return config.SESSION_TTL_MS + config.MAX_REQUEST_MS + config.REPLAY_MARGIN_MS;
}

/** The receiver of events; undefined if there is none. */
export function webhookTarget(config: Pick<LedgerConfig, 'WEBHOOK_URL' | 'WEBHOOK_SECRET'>): WebhookTarget | undefined {
  if (config.WEBHOOK_URL === undefined) return undefined;
  return { url: config.WEBHOOK_URL, secrets: config.WEBHOOK_SECRET ?? [], timeoutMs: WEBHOOK_TIMEOUT_MS };
}
