import {
  addressSettings,
  bytes,
  commonSettings,
  flag,
  grpcTlsSettings,
  keySettings,
  lingerSettings,
  loadConfig,
  milliseconds,
  port,
  proxySettings,
  redisSettings,
  requestSettings,
} from '@tollgate/common/config';
import { z } from 'zod';

const MIB = 1024 * 1024;

/** Length of a key that encrypts stored items. */
export const ITEM_KEY_BYTES = 32;

/** Comma-separated keys, the one in use first. */
const itemStoreKeys = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.base64()))
  .transform((keys) => keys.map((each) => Buffer.from(each, 'base64')))
  .refine(
    (keys) => keys.every((key) => key.length === ITEM_KEY_BYTES),
    `must be ${ITEM_KEY_BYTES} bytes in base64, or several of these separated by commas`,
  );

const count = z.coerce.number().int();

/** Settings of the ingress, by the names of their environment variables. */
export const settings = z.object({
  ...commonSettings,
  ...grpcTlsSettings,
  ...redisSettings,
  ...keySettings,
  ...lingerSettings,
  ...addressSettings,
  ...requestSettings,
  PORT: port.default(8080).describe('HTTP port for clients; 0 lets the system choose.'),
  JOURNAL_DIR: z
    .string()
    .min(1)
    .describe('Folder of the charge journal, for one process; made readable by its user only.'),
  JOURNAL_MAX_BYTES: bytes.default(256 * MIB).describe('Maximum size of the journal.'),
  SETTLE_BEFORE_END_MS: milliseconds
    .max(5_000)
    .default(0)
    .describe(
      'Maximum time the end of a response waits for its charge to be committed; 0 does not wait. With 20, a machine that is lost with its disk loses no charge of a delivered response while the ledger responds in time.',
    ),
  RECHARGE_URL: z.url().describe('Page where an account is topped up; part of `insufficient_balance` errors.'),
  CONSOLE_URL: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Address of the console. The `recharge_url` of a reached spending cap leads to the cap there; when unset, to `RECHARGE_URL`.',
    ),
  INGRESS_NAME: z
    .string()
    .min(1)
    .optional()
    .describe("Name of this process in the ledger's sessions and in lists for operators; when unset, the host name."),
  MAX_BODY_BYTES: bytes.default(32 * MIB).describe('Maximum size of a request body, decompressed.'),
  MAX_BUFFERED_BYTES: bytes
    .default(256 * MIB)
    .describe(
      'Memory for request bodies, decompressed, at most half of it for one account; at least twice `MAX_BODY_BYTES`. Responses may use half as much again ([memory](operations/sizing.md#memory-of-the-ingress)).',
    ),
  STREAM_KEEP_ALIVE_MS: milliseconds
    .default(10_000)
    .describe('Silence after which an open stream gets a comment or a ping.'),
  TRUST_TRACEPARENT: flag
    .prefault('false')
    .describe("Continues clients' traces instead of linking to them. Only for trusted clients."),
  ...proxySettings,
  UNKNOWN_KEYS_BURST: count
    .min(0)
    .max(1_000_000)
    .default(20)
    .describe(
      'Unknown keys that are [looked up](operations/failed-keys.md) for one client address at once; each second allows one more. 0 disables the limit, for clients that share an address.',
    ),
  ITEM_STORE_KEY: itemStoreKeys
    .optional()
    .describe(
      'Comma-separated keys of 32 bytes in base64, the same for all replicas. Keeps items of responses in Redis for `item_reference`, encrypted with the first key; when unset, requests with item references are rejected.',
    ),
  MAX_OPEN_REQUESTS: count
    .min(2)
    .default(4_000)
    .describe(
      'Maximum open requests of the process, at most half of them of one account. A stream uses about 200 KiB.',
    ),
  MAX_CONNECTIONS: count
    .min(1)
    .default(10_000)
    .describe(
      'Maximum connections, idle ones included. Beyond it a new one replaces one that waits for a request, or is closed; one network may have a quarter without a complete head. Closed ones are counted (`tollgate.connections.refused`). An idle one uses about 20 KiB.',
    ),
  MAX_WEBSOCKETS: count
    .min(0)
    .default(2_000)
    .describe(
      'Maximum WebSockets of the process, on which clients create responses; at most [half](reference/websocket.md#refused-handshakes) of them of one account. An idle one uses about 40 KiB. 0 disables them: clients use HTTP.',
    ),
  BILLING_REQUESTS_PER_MINUTE: count.min(1).default(600).describe('Billing calls per account and minute.'),
});

const configSchema = settings.refine(
  ({ MAX_BODY_BYTES, MAX_BUFFERED_BYTES }) => MAX_BUFFERED_BYTES >= 2 * MAX_BODY_BYTES,
  {
    path: ['MAX_BUFFERED_BYTES'],
    error: 'must be at least twice MAX_BODY_BYTES',
  },
);

export type IngressConfig = z.output<typeof configSchema>;

/** Reads the ingress's settings; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): IngressConfig {
  return loadConfig(configSchema, env);
}
