import { hostname } from 'node:os';
import {
  bytes,
  commonSettings,
  flag,
  grpcAddress,
  loadConfig,
  milliseconds,
  port,
  serviceName,
} from '@tollgate/common/config';
import { PROTOCOL_NAMES } from '@tollgate/protocols/canonical/protocol-name';
import { z } from 'zod';
import { parseTrustedProxies } from './auth-throttle/client-network.ts';
import { ITEM_KEY_BYTES } from './items/item-cipher.ts';

/** A list of protocol names; empty for none. */
const protocolNames = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(z.array(z.enum(PROTOCOL_NAMES)));

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

/** A list of addresses and networks; empty for none. */
const trustedProxies = z.string().transform((text, context) => {
  const proxies = parseTrustedProxies(text);
  if (proxies !== undefined) return proxies;
  context.addIssue({ code: 'custom', message: 'must be comma-separated addresses or networks (CIDR)' });
  return z.NEVER;
});

const settings = z.object({
  ...commonSettings,
  /** Port for clients. */
  PORT: port.default(8080),
  /** How long a stopping process accepts connections until load balancers have noticed; part of SHUTDOWN_GRACE_MS. */
  SHUTDOWN_LINGER_MS: milliseconds.default(0),
  AUTH_ADDRESS: grpcAddress,
  LEDGER_ADDRESS: grpcAddress,
  ROUTER_ADDRESS: grpcAddress,
  /** `redis://` or `rediss://` URL, or several separated by commas for a Redis Cluster. */
  REDIS_URL: z.string().min(1),
  /** Time limit of a Redis command; for a request with a slower one, Redis counts as down. */
  REDIS_TIMEOUT_MS: milliseconds.min(1).default(500),
  /** The service short name of the contract: keys start with `sk-<name>-`. */
  SERVICE_NAME: serviceName.default('tollgate'),
  /** Directory of the charge journal, used by one process at a time. */
  JOURNAL_DIR: z.string().min(1),
  /** Maximum size of the journal on disk. */
  JOURNAL_MAX_BYTES: bytes.default(256 * 1024 * 1024),
  /**
   * How long the last event of a response waits for the ledger to acknowledge its charge; 0 does not wait. With it (20 is
   * enough) a machine that is lost with its disk loses no charge of a delivered response if the ledger responds in time.
   */
  SETTLE_BEFORE_END_MS: milliseconds.max(5_000).default(0),
  /** Where an account is topped up; part of the error of an insufficient balance. */
  RECHARGE_URL: z.url(),
  /** Name of this process in the ledger's sessions. */
  INGRESS_NAME: z.string().min(1).default(hostname()),
  /** Largest request body, decompressed. */
  MAX_BODY_BYTES: bytes.default(32 * 1024 * 1024),
  /**
   * Memory for request bodies, decompressed, each until its request is over; one account gets at most half of it. Buffered
   * responses may take half as much again. At least twice MAX_BODY_BYTES.
   */
  MAX_BUFFERED_BYTES: bytes.default(256 * 1024 * 1024),
  /** Time limit of a request, response included. At most the ledger's setting of that name. */
  MAX_REQUEST_MS: milliseconds.default(3_600_000),
  /**
   * Comma-separated client protocols in which an output limit beyond the balance or the model's own is lowered to what is
   * possible; in the others it is an error. Clients of the messages protocol must always send a limit, and send a large one.
   */
  CLAMP_OUTPUT_LIMIT: protocolNames.default(['anthropic-messages']),
  /** Silence after which an open stream gets a comment or a ping, if its protocol has one. */
  STREAM_KEEP_ALIVE_MS: milliseconds.default(10_000),
  /** Continue a client's trace instead of linking it. Only for trusted clients. */
  TRUST_TRACEPARENT: flag.default(false),
  /**
   * Comma-separated addresses and networks (CIDR) of the proxies in front, whose X-Forwarded-For names the client. Without
   * it all requests through a proxy seem to come from the proxy.
   */
  TRUSTED_PROXIES: trustedProxies.prefault(''),
  /**
   * Unknown keys that are looked up for one client address at once; each second allows one more. 0 for no limit, if all
   * clients share an address.
   */
  UNKNOWN_KEYS_BURST: z.coerce.number().int().min(0).max(1_000_000).default(20),
  /** How often the last use of keys is reported to auth. */
  KEY_USE_INTERVAL_MS: milliseconds.min(10).default(30_000),
  /**
   * 32 random bytes in base64, the same for all replicas. With it, items of responses that clients may name by
   * `item_reference` are kept in Redis, encrypted; without it such requests are rejected. Of several, separated by commas,
   * the first one encrypts and all of them decrypt.
   */
  ITEM_STORE_KEY: itemStoreKeys.optional(),
  /** How long such an item is kept. */
  ITEM_STORE_LIFE_MS: milliseconds.min(60_000).default(43_200_000),
  /** Maximum number of open requests with an active key. A streaming one takes some 200 KiB. */
  MAX_OPEN_REQUESTS: z.coerce.number().int().min(1).default(4_000),
  /** Maximum number of these for one account, so that it cannot take all. */
  MAX_OPEN_REQUESTS_PER_ACCOUNT: z.coerce.number().int().min(1).default(2_000),
  /** Maximum number of open connections; further ones are closed without a response. An idle one takes some 20 KiB. */
  MAX_CONNECTIONS: z.coerce.number().int().min(1).default(10_000),
  /** The burst of each limit per minute: a bucket holds the refill of this time. */
  RATE_LIMIT_BURST_SECONDS: z.coerce.number().int().min(1).max(60).default(10),
  /** Billing calls per account and minute. */
  BILLING_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(600),
});

const schema = settings.refine(({ MAX_BODY_BYTES, MAX_BUFFERED_BYTES }) => MAX_BUFFERED_BYTES >= 2 * MAX_BODY_BYTES, {
  path: ['MAX_BUFFERED_BYTES'],
  error: 'must be at least twice MAX_BODY_BYTES',
});

export type IngressConfig = z.output<typeof schema>;

/** Reads the ingress's settings; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): IngressConfig {
  return loadConfig(schema, env);
}
